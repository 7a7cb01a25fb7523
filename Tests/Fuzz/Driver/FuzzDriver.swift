import Foundation

/// A fuzz target, selected by name.
package protocol Fuzzable: CaseIterable, RawRepresentable, Sendable where RawValue == String {
    /// Runs one input; ends the process if an invariant is broken.
    func run(_ bytes: [UInt8])

    /// Valid inputs to begin from.
    var seeds: [[UInt8]] { get }
}

/// Runs libFuzzer's loop, which calls back with each generated input.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ look: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

package enum FuzzDriver {
    /// Set once before the loop begins, because a C callback cannot capture state.
    nonisolated(unsafe) private static var feed: @Sendable ([UInt8]) -> Void = { _ in }

    /// Writes the seeds, then feeds the environment's target until libFuzzer ends the process.
    package static func run<Target: Fuzzable>(_: Target.Type) throws -> Never {
        let environment = ProcessInfo.processInfo.environment
        let name = environment["PULSECAST_FUZZ_TARGET"] ?? ""
        guard let target = Target(rawValue: name) else {
            let known = Target.allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("PULSECAST_FUZZ_TARGET is \"\(name)\"; it takes \(known)")
        }
        if let folder = environment["PULSECAST_FUZZ_SEEDS"] {
            for (index, seed) in target.seeds.enumerated() {
                try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
            }
        }
        unsafe feed = { target.run($0) }
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        exit(
            unsafe runDriver(&count, &arguments) { start, count in
                unsafe FuzzDriver.feed(
                    Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            })
    }
}
