public import SensorModel

/// A session as a screen can show it: about one point for each few pixels, and its events.
///
///     items of history ─▶ the newest update of each time step ─▶ points, as columns
///                     └─▶ events
///
/// It is a fold over the items of a share's history, in their order, and has no value that they do
/// not have. Which points it keeps depends on their times alone, so it tells nothing about values
/// outside the scope. When it has too many points, the step doubles. So it stays small however long
/// the session is, and continues with each new item.
public struct SessionOverview: Sendable {
    /// Maximum number of points; more than the pixels across a chart would be of no use.
    public static let pointsMax = 1024
    /// Maximum number of events, and of their bytes. The oldest changes of a zone are left out
    /// first, since points have the zone too; then the oldest of the others.
    static let eventsMax = 1024
    static let eventBytesMax = 48 << 10

    /// An item that is earlier by less has only arrived late.
    private static let lateSecondsMax = 60.0
    private static let earlierItemsMax = 10

    private struct Event {
        let json: [UInt8]
        let isMinor: Bool
    }

    /// Offset of the newest item; `nil` before there is any.
    public private(set) var newest: RecordOffset?
    /// Length of the time steps, seconds of device time: a power of two.
    private(set) var stepSeconds: Int64 = 1
    private(set) var times: [Timestamp] = []
    /// Values of each visible column, times ten to the power of its decimals.
    private(set) var columns: [(column: OverviewColumn, values: [Int32])]
    /// Items in a row that were far earlier than the last point.
    private var earlierItems = 0
    private var events: [Event] = []
    private var eventBytes = 0
    /// Number of events that were left out, without those that points show.
    public private(set) var omittedEvents = 0
    let encoder: HistoryEncoder

    /// A missing value.
    static let missing = Int32.min

    /// - Parameters:
    ///   - epoch: Epoch of the log.
    ///   - scope: Scope of the share.
    public init(epoch: UInt32, scope: Scope) {
        columns = OverviewColumn.allCases.filter { scope.contains($0.neededScope) }.map { ($0, []) }
        encoder = HistoryEncoder(epoch: epoch, scope: scope)
    }

    /// Number of points.
    public var count: Int { times.count }

    /// The events, oldest first.
    var eventItems: [[UInt8]] { events.map(\.json) }

    /// Approximate bytes of memory, which limit a cache.
    public var bytes: Int {
        512 + times.capacity * MemoryLayout<Timestamp>.stride
            + columns.reduce(0) { $0 + $1.values.capacity * MemoryLayout<Int32>.stride }
            + events.capacity * MemoryLayout<Event>.stride + eventBytes + 32 * events.count
    }

    /// Adds the next event of the share's history.
    ///
    /// - Parameters:
    ///   - event: As the share sees it.
    ///   - offset: Offset of its record; higher than the last one.
    public mutating func take(_ event: StreamEvent, at offset: RecordOffset) {
        if case .metrics(let metrics) = event.kind {
            newest = offset
            add(metrics, at: event.deviceTime)
        } else if let json = encoder.item(of: event, at: offset) {
            newest = offset
            add(Event(json: json, isMinor: event.kind.isSeenInPoints))
        }
    }

    private mutating func add(_ metrics: Metrics, at time: Timestamp) {
        if isLate(time) { return }
        while times.count == Self.pointsMax, !isInLastStep(time) { thin() }
        let replaces = isInLastStep(time)
        if replaces { times[times.count - 1] = time } else { times.append(time) }
        for index in columns.indices {
            let value = Self.scaled(columns[index].column, of: metrics)
            if replaces {
                columns[index].values[times.count - 1] = value
            } else {
                columns[index].values.append(value)
            }
        }
    }

    /// Whether an item that is earlier than the last point is left out, because it arrived late. Many
    /// in a row mean that the device's clock was set back: the points that it was ahead for go.
    private mutating func isLate(_ time: Timestamp) -> Bool {
        guard let last = times.last, isEarlier(time, than: last) else {
            earlierItems = 0
            return false
        }
        guard last.seconds(since: time) > Self.lateSecondsMax else { return true }
        earlierItems += 1
        guard earlierItems >= Self.earlierItemsMax else { return true }
        earlierItems = 0
        let kept = times.prefix { !isEarlier(time, than: $0) }.count
        times.removeSubrange(kept...)
        for index in columns.indices { columns[index].values.removeSubrange(kept...) }
        return false
    }

    private func isEarlier(_ time: Timestamp, than other: Timestamp) -> Bool {
        Self.step(of: time, stepSeconds) < Self.step(of: other, stepSeconds)
    }

    private func isInLastStep(_ time: Timestamp) -> Bool {
        times.last.map { Self.step(of: $0, stepSeconds) == Self.step(of: time, stepSeconds) }
            ?? false
    }

    private static func scaled(_ column: OverviewColumn, of metrics: Metrics) -> Int32 {
        guard let value = column.value(of: metrics) else { return missing }
        let scaled = (value * powersOfTen[column.decimals]).rounded()
        return Int32(exactly: scaled) ?? missing
    }

    static let powersOfTen: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6]

    static func step(of time: Timestamp, _ seconds: Int64) -> Int64 {
        let micros = seconds * 1_000_000
        let step = time.microseconds / micros
        return time.microseconds % micros < 0 ? step - 1 : step
    }

    /// Doubles the time step, and keeps the newest point of each.
    private mutating func thin() {
        stepSeconds *= 2
        let kept = newestPoints(of: stepSeconds)
        times = kept.map { times[$0] }
        for index in columns.indices {
            let values = columns[index].values
            columns[index].values = kept.map { values[$0] }
        }
    }

    /// The index of the newest point in each time step.
    func newestPoints(of seconds: Int64) -> [Int] {
        times.indices.filter { index in
            index + 1 == times.count
                || Self.step(of: times[index], seconds) != Self.step(of: times[index + 1], seconds)
        }
    }

    private mutating func add(_ event: Event) {
        events.append(event)
        eventBytes += event.json.count
        guard events.count > Self.eventsMax || eventBytes > Self.eventBytesMax else { return }
        // A quarter at a time: removing one by one would move all others each time.
        let isRoomy = { (count: Int, bytes: Int) in
            count <= Self.eventsMax * 3 / 4 && bytes <= Self.eventBytesMax * 3 / 4
        }
        var (count, bytes, omitted) = (events.count, eventBytes, 0)
        for isMinor in [true, false] {
            events.removeAll { event in
                guard event.isMinor == isMinor, !isRoomy(count, bytes) else { return false }
                count -= 1
                bytes -= event.json.count
                if !isMinor { omitted += 1 }
                return true
            }
        }
        omittedEvents += omitted
        eventBytes = bytes
    }
}

extension StreamEvent.Kind {
    /// Whether the points of an overview show the same.
    fileprivate var isSeenInPoints: Bool {
        if case .zoneChanged = self { true } else { false }
    }
}
