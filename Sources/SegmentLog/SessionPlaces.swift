import SensorModel

/// The segments of each session, with the places in their indices, and the sessions of each device.
struct SessionPlaces: Sendable {
    /// A session's place in a segment.
    struct Place: Hashable, Sendable {
        /// The segment's number.
        var segment: UInt64
        /// The index of the session's part.
        var part: Int
    }

    /// Ascending by segment.
    private var places: [SessionID: [Place]] = [:]
    private var sessions: [DeviceID: Set<SessionID>] = [:]

    init(_ list: SegmentList) {
        for entry in list { add(entry) }
    }

    func places(of session: SessionID) -> [Place] { places[session] ?? [] }

    func sessions(of device: DeviceID) -> Set<SessionID> { sessions[device] ?? [] }

    /// Adds a segment; `entry` must not have been added before.
    mutating func add(_ entry: SegmentEntry) {
        for (index, part) in entry.index.parts.enumerated() where part.records > 0 {
            add(part, Place(segment: entry.number, part: index))
        }
    }

    /// - Returns: Sessions without a place in any other segment.
    @discardableResult
    mutating func remove(_ entry: SegmentEntry) -> [SessionID] {
        var gone: [SessionID] = []
        for part in entry.index.parts where part.records > 0 {
            if remove(part, from: entry.number) { gone.append(part.session) }
        }
        return gone
    }

    /// Replaces a segment's parts. A part that keeps its place costs only a comparison, because
    /// appends wait meanwhile; after an erasure nearly all parts do.
    mutating func replace(_ old: SegmentEntry, by fresh: SegmentEntry) {
        let (before, after) = (old.index.parts, fresh.index.parts)
        let isSame = { (index: Int) in
            index < min(before.count, after.count) && before[index].session == after[index].session
                && (before[index].records > 0) == (after[index].records > 0)
        }
        for (index, part) in before.enumerated() where part.records > 0 && !isSame(index) {
            remove(part, from: old.number)
        }
        for (index, part) in after.enumerated() where part.records > 0 && !isSame(index) {
            add(part, Place(segment: fresh.number, part: index))
        }
    }

    private mutating func add(_ part: SegmentIndex.Part, _ place: Place) {
        sessions[part.device, default: []].insert(part.session)
        var known = places.removeValue(forKey: part.session) ?? []
        let index = known.lastIndex { $0.segment < place.segment }.map { $0 + 1 } ?? 0
        known.insert(place, at: index)
        places[part.session] = known
    }

    /// - Returns: Whether the session has no place in any other segment.
    @discardableResult
    private mutating func remove(_ part: SegmentIndex.Part, from segment: UInt64) -> Bool {
        guard var known = places.removeValue(forKey: part.session) else { return false }
        known.removeAll { $0.segment == segment }
        guard known.isEmpty else {
            places[part.session] = known
            return false
        }
        sessions[part.device]?.remove(part.session)
        if sessions[part.device]?.isEmpty == true { sessions[part.device] = nil }
        return true
    }
}
