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
            sessions[part.device, default: []].insert(part.session)
            var known = places.removeValue(forKey: part.session) ?? []
            let place = known.lastIndex { $0.segment < entry.number }.map { $0 + 1 } ?? 0
            known.insert(Place(segment: entry.number, part: index), at: place)
            places[part.session] = known
        }
    }

    /// - Returns: Sessions without a place in any other segment.
    @discardableResult
    mutating func remove(_ entry: SegmentEntry) -> [SessionID] {
        var gone: [SessionID] = []
        for part in entry.index.parts where part.records > 0 {
            guard var known = places.removeValue(forKey: part.session) else { continue }
            known.removeAll { $0.segment == entry.number }
            if known.isEmpty {
                gone.append(part.session)
                sessions[part.device]?.remove(part.session)
                if sessions[part.device]?.isEmpty == true { sessions[part.device] = nil }
            } else {
                places[part.session] = known
            }
        }
        return gone
    }
}
