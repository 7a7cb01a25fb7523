import FuzzDriver
import Recordings

/// What is fed with bytes that a machine makes up. Each says what must hold beyond "it does not
/// trap"; a breach ends the process, which libFuzzer keeps the input of.
enum FuzzTarget: String, Fuzzable {
    /// What a device sends over TCP after `PLS1`.
    case binary
    /// What it sends as lines.
    case text
    /// Requests of the phone apps; the first byte picks the app.
    case push
    case fit
    /// GPX and TCX.
    case track
    /// A segment of the log that a crash, a bad disk or a stranger left behind.
    case segment

    func run(_ bytes: [UInt8]) {
        switch self {
        case .binary: BinaryTarget.run(bytes)
        case .text: TextTarget.run(bytes)
        case .push: PushTarget.run(bytes)
        case .fit: FileTarget.run(bytes, name: "a.fit")
        case .track: FileTarget.run(bytes, name: "a.gpx")
        case .segment: SegmentTarget.run(bytes)
        }
    }

    /// Valid inputs to begin from.
    var seeds: [[UInt8]] {
        switch self {
        case .binary: BinaryTarget.seeds
        case .text: TextTarget.seeds
        case .push: PushTarget.seeds
        case .fit: [FileTarget.seed(.fit), FileTarget.sensedSeed]
        case .track: [FileTarget.seed(.gpx), FileTarget.seed(.tcx)]
        case .segment: SegmentTarget.seeds
        }
    }
}
