import FaultSimulation
import Foundation

/// `faultseeds [--seeds N] [--first S] [--step K]` runs seeds S, S + K …; `--seed S` traces one.
@main
enum FaultSeeds {
    static func main() {
        beginAlike()
        var options: [String: UInt64] = [:]
        var total = World.Counts()
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard ["--seeds", "--first", "--step", "--seed"].contains(name),
                let value = arguments.popFirst().flatMap({ UInt64($0) })
            else {
                print("usage: faultseeds [--seeds N] [--first S] [--step K] | --seed S")
                exit(64)
            }
            options[name] = value
        }
        if let seed = options["--seed"] {
            exit(run(seed, trace: { print($0) }, &total) ? 0 : 1)
        }
        let step = options["--step"] ?? 1
        var failures = 0
        var seed = options["--first"] ?? 1
        let end = seed + (options["--seeds"] ?? 5000)
        var seeds = 0
        while seed < end {
            if !run(seed, trace: nil, &total) { failures += 1 }
            seeds += 1
            seed += step
        }
        print(
            "\(seeds) seeds, \(failures) violations: \(total.lives) lives, \(total.steps) steps,",
            "\(total.acks) acks, \(total.records) records, \(total.messages) messages to viewers")
        exit(failures == 0 ? 0 : 1)
    }

    /// Restarts the program with a deterministic hash seed, so that a failing seed fails again.
    private static func beginAlike() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard ProcessInfo.processInfo.environment[name] == nil else { return }
        unsafe setenv(name, "1", 1)
        var arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        unsafe execv("/proc/self/exe", &arguments)
        print("the program cannot be started again: \(errno)")
        exit(70)
    }

    /// - Returns: Whether everything held.
    private static func run(
        _ seed: UInt64, trace: ((String) -> Void)?, _ total: inout World.Counts
    ) -> Bool {
        do {
            let world = try World(seed: seed, trace: trace)
            defer { total += world.counts }
            try world.run()
            return true
        } catch {
            print("seed \(seed): \(error)")
            return false
        }
    }
}
