import ArgumentParser
import Simulator

/// Effects of a simulated network on frames.
struct ImpairmentOptions: ParsableArguments {
    @Option(help: .value("share", "Share of frames that are lost, 0…0.9.")) var loss = 0.0
    @Option(help: .value("share", "Share of frames that arrive twice, 0…0.9."))
    var duplicates = 0.0
    @Option(help: .value("share", "Share of frames that arrive after later ones, 0…0.9."))
    var late = 0.0
    @Option(help: .value("seconds", "Mean delay of the network, 0…5.")) var jitter = 0.0
    @Option(
        help: .value("start:seconds", "A time without a connection; any number of them."))
    var outage: [String] = []
    @Option(help: .value("seconds", "The device's clock less the true time, within a day."))
    var clockOffset = 0.0
    @Option(help: .value("ppm", "Millionths by which the device's clock runs fast."))
    var clockDrift = 0.0

    var areGiven: Bool {
        loss != 0 || duplicates != 0 || late != 0 || jitter != 0 || !outage.isEmpty
            || clockOffset != 0 || clockDrift != 0
    }

    /// - Throws: `ValidationError` for an invalid outage.
    var impairments: Impairments {
        get throws {
            var impairments = Impairments()
            impairments.lossShare = loss
            impairments.duplicateShare = duplicates
            impairments.lateShare = late
            impairments.jitterSeconds = jitter
            impairments.outages = try outage.map(Self.outage)
            impairments.clockOffsetSeconds = clockOffset
            impairments.clockDriftPartsPerMillion = clockDrift
            return impairments
        }
    }

    func validate() throws {
        let shares = [("loss", loss), ("duplicates", duplicates), ("late", late)]
        for (name, share) in shares where !(0...0.9).contains(share) {
            throw ValidationError("--\(name) \(share) is not within 0 and 0.9")
        }
        guard (0...5).contains(jitter), abs(clockOffset) <= 86_400, abs(clockDrift) <= 100_000
        else {
            throw ValidationError(
                "--jitter is 0 to 5 s, --clock-offset at most a day, --clock-drift at most 100000")
        }
        _ = try impairments
    }

    private static func outage(_ text: String) throws -> Impairments.Outage {
        let parts = text.split(separator: ":").compactMap { Double($0) }
        guard parts.count == 2, parts[0] >= 0, (0...86_400).contains(parts[1]) else {
            throw ValidationError("\(text) is no outage: write start and length as 60:30")
        }
        return Impairments.Outage(startSeconds: parts[0], seconds: parts[1])
    }
}
