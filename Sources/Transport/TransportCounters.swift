import SensorModel
public import Synchronization
import WireFormat

/// Counters of all listeners, written by the loops and read by the metrics page.
public final class TransportCounters: Sendable {
    public let devicesConnected = Atomic<Int>(0)
    public let viewersConnected = Atomic<Int>(0)
    public let connectionsOpen = Atomic<Int>(0)
    public let connectionsAccepted = Atomic<Int>(0)
    /// Connections refused by a limit, or evicted for another.
    public let connectionsRefused = Atomic<Int>(0)
    public let framesTCPText = Atomic<Int>(0)
    public let framesTCPBinary = Atomic<Int>(0)
    public let framesWebSocketText = Atomic<Int>(0)
    public let framesWebSocketBinary = Atomic<Int>(0)
    public let framesPushed = Atomic<Int>(0)
    /// Heart rates dropped from motion frames that were accepted without them.
    public let heartRatesDropped = Atomic<Int>(0)
    /// Number of times a loop found its inbound ring full and stopped reading a connection.
    public let ringFull = Atomic<Int>(0)
    /// Messages written to viewers, and the writes they took.
    public let deliveries = Atomic<Int>(0)
    public let viewerWrites = Atomic<Int>(0)
    public let updatesMerged = Atomic<Int>(0)
    /// Sockets whose TLS records were taken over from the library.
    public let tlsTakeovers = Atomic<Int>(0)
    public let httpRequests = Atomic<Int>(0)
    /// Requests that were malformed, too large or too slow.
    public let httpRefused = Atomic<Int>(0)

    private let byReason = Mutex(Reasons())

    private struct Reasons {
        var frames: [String: Int] = [:]
        var hellos = Self.none
        var viewersClosed = Self.none

        /// Zero for every code, so that the first count of a code shows as a rise.
        private static var none: [String: Int] {
            Dictionary(uniqueKeysWithValues: CloseCode.allCases.map { (String($0.rawValue), 0) })
        }
    }

    /// Refused frames by ``FrameRefusal/code``.
    public var framesRefused: [String: Int] { byReason.withLock { $0.frames } }
    /// Refused hellos by the close code's number.
    public var hellosRefused: [String: Int] { byReason.withLock { $0.hellos } }
    /// Closed viewers by the close code's number.
    public var viewersClosed: [String: Int] { byReason.withLock { $0.viewersClosed } }

    func countFrame(_ transport: DeviceTransport, _ format: DeviceFormat) {
        switch (transport, format) {
        case (.tcp, .text): framesTCPText.wrappingAdd(1, ordering: .relaxed)
        case (.tcp, .binary): framesTCPBinary.wrappingAdd(1, ordering: .relaxed)
        case (.webSocket, .text): framesWebSocketText.wrappingAdd(1, ordering: .relaxed)
        case (.webSocket, .binary): framesWebSocketBinary.wrappingAdd(1, ordering: .relaxed)
        case (.push, _): framesPushed.wrappingAdd(1, ordering: .relaxed)
        }
    }

    func countRefused(_ refusal: FrameRefusal) {
        byReason.withLock { $0.frames[refusal.code, default: 0] += 1 }
    }

    func countRefusedHello(_ code: CloseCode) {
        byReason.withLock { $0.hellos[String(code.rawValue), default: 0] += 1 }
    }

    func countClosedViewer(_ code: CloseCode) {
        byReason.withLock { $0.viewersClosed[String(code.rawValue), default: 0] += 1 }
    }
}
