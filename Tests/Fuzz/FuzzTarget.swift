import FuzzDriver
import Recordings

/// The core's fuzz targets, each with invariants beyond "it does not trap". A broken invariant ends
/// the process, and libFuzzer keeps the input.
enum FuzzTarget: String, Fuzzable {
    /// Bytes that a device sends over TCP after `PLS1`.
    case binary
    /// Lines that a device sends.
    case text
    /// Requests of the phone apps; the first byte picks the app.
    case push
    case fit
    /// GPX and TCX.
    case track
    /// A segment of the log after a crash, disk error or external change.
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
