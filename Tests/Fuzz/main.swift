import Foundation

/// libFuzzer's loop; it calls back with each input it makes up.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ look: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What is fuzzed comes from the environment, so that one program serves all.
private enum Choice {
    static let target: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["PULSECAST_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let known = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("PULSECAST_FUZZ_TARGET is \"\(name)\"; it takes \(known)")
        }
        return target
    }()
}

if let folder = ProcessInfo.processInfo.environment["PULSECAST_FUZZ_SEEDS"] {
    for (index, seed) in Choice.target.seeds.enumerated() {
        try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
    }
}
var count = CommandLine.argc
var arguments = unsafe CommandLine.unsafeArgv
exit(
    unsafe runDriver(&count, &arguments) { start, count in
        Choice.target.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    })
