import SensorModel
import Sharing

/// One viewer: what it was sent, and what it must never be sent.
struct Spectator {
    let share: Share
    var queue = SubscriberQueue(rateHz: 1)
    /// The newest cursor it has, over all its connections.
    var last: LogCursor?
    var isConnected = false
    /// Missed events that are still to come.
    var isCatchingUp = false
    private var wasSnapshot = false
    /// Had the first snapshot of this stream.
    private var hasBegun = false
    /// Offsets of events it has had.
    private(set) var events: Set<UInt64> = []
    /// It was promised every event after this one; `nil`: it was never connected.
    private(set) var promisedAfter: RecordOffset?

    init(_ share: Share) { self.share = share }

    /// A stream begins anew; without a cursor the viewer knows nothing of before its snapshot.
    mutating func begin(resumed: Bool, at snapshot: LogCursor) {
        hasBegun = false
        guard !resumed else { return }
        last = nil
        events = []
        promisedAfter = snapshot.offset
    }

    /// - Returns: Whether the message is an event.
    mutating func take(_ json: [UInt8], _ cursor: LogCursor) throws(Violation) -> Bool {
        let isSnapshot = json.starts(with: #"{"type":"snapshot""#.utf8)
        let isEvent = [#"{"type":"event""#, #"{"type":"end""#].contains {
            json.starts(with: $0.utf8)
        }
        if let last {
            // A snapshot carries the cursor that the viewer came back with. That of a session
            // whose first record is an event shares its cursor with it.
            let isRising = isSnapshot || wasSnapshot ? cursor >= last : cursor > last
            guard isRising else {
                throw Violation("a viewer at \(last) was sent \(cursor): \(text(json))")
            }
        }
        last = cursor
        wasSnapshot = isSnapshot
        if isSnapshot {
            // Not the stream's first: another session is shown from here on.
            if hasBegun { promisedAfter = cursor.offset }
            hasBegun = true
        }
        try checkScope(json)
        if isEvent, !events.insert(cursor.offset.rawValue).inserted {
            throw Violation("a viewer was sent the event of \(cursor) twice")
        }
        return isEvent
    }

    /// Keys and events that need a part which the share does not show.
    private func checkScope(_ json: [UInt8]) throws(Violation) {
        guard share.scope != .all else { return }
        var start: Int?
        for index in json.indices where json[index] == UInt8(ascii: "\"") {
            guard let open = start else {
                start = index
                continue
            }
            start = nil
            let word = String(decoding: json[(open + 1)..<index], as: UTF8.self)
            guard let needed = Self.needed[word], !share.scope.isSuperset(of: needed) else {
                continue
            }
            throw Violation("a viewer without the scope was sent \(word): \(text(json))")
        }
    }

    private static let needed: [String: Scope] = {
        var needed: [String: Scope] = [
            "latitude": .location, "longitude": .location, "zoneChanged": .heartRate,
            "sourceChanged": .heartRate, "zoneDrift": .heartRate, "split": .metrics,
            "lap": .metrics, "offCourse": .location, "checkpointReached": .location,
        ]
        for key in FieldKey.allCases where key.neededScope != [] {
            needed[key.name] = key.neededScope
        }
        return needed
    }()

    private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }
}
