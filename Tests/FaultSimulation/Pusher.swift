import FaultyDisk
import Ingest
import PushFormats
import SensorModel
import WireFormat

/// A phone application that pushes unnumbered frames in requests and repeats unanswered ones.
struct Pusher {
    /// A frame with its expected form in the log.
    struct Item: Hashable {
        let frame: Frame
        let made: Watch.Made
    }

    let device: DeviceID
    let session: SessionID
    /// Frames not yet confirmed as recorded.
    var kept: [Item] = []
    /// Number of first frames in the unanswered request; `nil`: none is under way.
    var asked: Int?
    /// Number of the current request; answers to earlier ones come too late.
    var request = 0
    private var nextAt: Int64 = 0
    private var source: Watch

    init(device: DeviceID, session: SessionID) {
        self.device = device
        self.session = session
        source = Watch(device: device, clockOffset: 0, session: session)
    }

    /// Makes the frames of the time since the last call.
    mutating func make(at steady: Int64, _ random: inout SplitMix) {
        while nextAt <= steady, kept.count < 60 {
            let due = max(nextAt, steady - 1_000_000)
            nextAt = due + 300_000 + Int64(random.below(900_000))
            guard let (frame, _, made) = source.makeUncounted(at: due, &random),
                // The line does not remember motion, which is too large: it may be recorded twice.
                made.kind != .motion
            else { continue }
            kept.append(Item(frame: frame, made: made))
        }
    }
}

/// The daemon's side of a pushed recording, as `PushQueue` in the product.
struct PushedLine {
    /// Unique over all lives, because a new line may record what an old one has forgotten.
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
    /// Whether this is the retry on a new line; a session that is gone is retried once.
    let isSecond: Bool
    var progress: PushProgress
    /// The end of the log that must be durable; `nil`: not known yet.
    var end: RecordOffset?
    /// Steady time, µs, at which the wait for the disk ends.
    var deadline: Int64 = 0
    /// Whether its frames were erased meanwhile, so that nothing is promised.
    var isVoid = false
}
