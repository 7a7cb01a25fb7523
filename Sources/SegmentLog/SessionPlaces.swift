import SensorModel

/// Which segments hold a session, and which sessions a device has.
struct SessionPlaces: Sendable {
    /// Segment numbers, ascending.
    private var numbers: [SessionID: [UInt64]] = [:]
    private var sessions: [DeviceID: Set<SessionID>] = [:]

    init(_ list: SegmentList) {
        for entry in list { add(entry) }
    }

    func numbers(of session: SessionID) -> [UInt64] { numbers[session] ?? [] }

    func sessions(of device: DeviceID) -> Set<SessionID> { sessions[device] ?? [] }

    /// `entry` is not there yet.
    mutating func add(_ entry: SegmentEntry) {
        for part in entry.index.parts where part.records > 0 {
            sessions[part.device, default: []].insert(part.session)
            var known = numbers.removeValue(forKey: part.session) ?? []
            let place = known.lastIndex { $0 < entry.number }.map { $0 + 1 } ?? 0
            known.insert(entry.number, at: place)
            numbers[part.session] = known
        }
    }

    /// - Returns: Sessions that are nowhere else.
    @discardableResult
    mutating func remove(_ entry: SegmentEntry) -> [SessionID] {
        var gone: [SessionID] = []
        for part in entry.index.parts where part.records > 0 {
            guard var known = numbers.removeValue(forKey: part.session) else { continue }
            known.removeAll { $0 == entry.number }
            if known.isEmpty {
                gone.append(part.session)
                sessions[part.device]?.remove(part.session)
                if sessions[part.device]?.isEmpty == true { sessions[part.device] = nil }
            } else {
                numbers[part.session] = known
            }
        }
        return gone
    }
}
