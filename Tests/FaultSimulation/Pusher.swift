import FaultyDisk
import Ingest
import PushFormats
import SensorModel
import WireFormat

/// A phone application: pushes frames without numbers in requests, and repeats what it has no answer
/// for.
struct Pusher {
    /// A frame, and what the log must hold of it.
    struct Item: Hashable {
        let frame: Frame
        let made: Watch.Made
    }

    let device: DeviceID
    let session: SessionID
    /// Frames of which it was not told that they are recorded.
    var kept: [Item] = []
    /// Waits for the answer to a request with so many of the first frames.
    var asked: Int?
    /// Counts its requests: an answer to an earlier one comes too late.
    var request = 0
    private var nextAt: Int64 = 0
    private var source: Watch

    init(device: DeviceID, session: SessionID) {
        self.device = device
        self.session = session
        source = Watch(device: device, clockOffset: 0, session: session)
    }

    /// Frames of the time since.
    mutating func make(at steady: Int64, _ random: inout SplitMix) {
        while nextAt <= steady, kept.count < 60 {
            let due = max(nextAt, steady - 1_000_000)
            nextAt = due + 300_000 + Int64(random.below(900_000))
            guard let (frame, _, made) = source.makeUncounted(at: due, &random),
                // Motion is too large to be remembered: it may come twice.
                made.kind != .motion
            else { continue }
            kept.append(Item(frame: frame, made: made))
        }
    }
}

/// The daemon's side of a pushed recording: what `PushLine` is there.
struct PushedLine {
    /// Tells lines apart over all lives: what a line has forgotten may be recorded again.
    let number: Int
    let connection: ConnectionID
    var isOpened = false
    var memory = PushMemory()
    /// Frames that wait for room in the ring.
    var unsent: [(header: FrameHeader, payload: [UInt8])] = []
    var lastUse: Timestamp
}

/// A request that the daemon has not answered.
struct PushedRequest {
    let pusher: Int
    /// Number of the application's request.
    let number: Int
    /// Frames that passed validation.
    let items: [Pusher.Item]
    let line: Int
    /// The line was new to it: a session that is gone is tried again once.
    let isSecond: Bool
    var settlement: PushSettlement
    /// Everything before must be durable.
    var end: RecordOffset?
    /// Steady time, µs: the wait for the disk ends.
    var deadline: Int64 = 0
    /// What it sent was erased meanwhile: nothing is promised.
    var isVoid = false
}
