import FaultyDisk
import SensorModel
import WireFormat

/// One connection of a watch: bytes in flight in both directions, in order, delayed, and torn by a
/// cut.
struct Wire {
    enum Up {
        case hello(SessionID)
        case bytes([UInt8])
        case end
    }

    enum Down {
        case welcome(SessionID, UInt32)
        case ack(UInt32)
        case close
    }

    let watch: Int
    var up: [(at: Int64, Up)] = []
    var down: [(at: Int64, Down)] = []
    var splitter = FrameSplitter()
    /// Whether items wait for space in the ring.
    var isStalled = false

    init(watch: Int) { self.watch = watch }

    /// Breaks the path: some bytes still arrive, and the daemon notices at once, later, or never.
    mutating func cut(at now: Int64, _ random: inout SplitMix) {
        down = []
        let kept = random.below(up.count + 1)
        up.removeLast(up.count - kept)
        if case .bytes(let bytes)? = up.last?.1, random.happens(percent: 50) {
            up[up.count - 1].1 = .bytes(Array(bytes.prefix(random.below(bytes.count + 1))))
        }
        if !random.happens(percent: 30) {
            up.append((max(now, up.last?.at ?? 0) + Int64(random.below(3_000_000)), .end))
        }
    }

    mutating func send(_ item: Up, at now: Int64, _ random: inout SplitMix) {
        let delay = random.happens(percent: 5) ? 2_000_000 : 60_000
        up.append((max(now + Int64(random.below(delay)), up.last?.at ?? 0), item))
    }

    mutating func answer(_ item: Down, at now: Int64, _ random: inout SplitMix) {
        down.append((max(now + Int64(random.below(80_000)), down.last?.at ?? 0), item))
    }
}
