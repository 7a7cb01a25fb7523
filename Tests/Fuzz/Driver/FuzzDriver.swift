import Foundation

/// A target of fuzzing: what one program can be fed with.
package protocol Fuzzable: CaseIterable, RawRepresentable, Sendable where RawValue == String {
    /// Ends the process where something does not hold.
    func run(_ bytes: [UInt8])

    /// Valid inputs to begin from.
    var seeds: [[UInt8]] { get }
}

/// libFuzzer's loop; it calls back with each input it makes up.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ look: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

package enum FuzzDriver {
    /// Written once, before the loop begins; a C callback takes nothing along.
    nonisolated(unsafe) private static var feed: @Sendable ([UInt8]) -> Void = { _ in }

    /// Writes the seeds, then feeds the target that the environment names until libFuzzer ends it.
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
