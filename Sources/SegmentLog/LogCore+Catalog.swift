import SensorModel

/// Segments, and places of sessions in them, as readers see them now.
extension LogCore {
    /// The segments as visible to readers now.
    func catalog() -> SegmentList {
        var list = entries
        if let active { list.last = active }
        return list
    }

    /// The segment being written as visible to readers now.
    private var active: SegmentEntry? {
        guard state == .writing, var active = entries.last else { return nil }
        active.index = activeIndex
        active.index.endOffset = writtenEnd
        active.recordsEnd = writtenPosition
        active.bytes = writtenPosition
        return active
    }

    /// Places of a session, including the segment being written.
    func places(of session: SessionID) -> [SessionPlaces.Place] {
        var found = places.places(of: session)
        if let active = activePlace(of: session) { found.append(active) }
        return found
    }

    /// The segments that contain a part of a session, as visible to readers now, with the place of
    /// the part in each.
    func entries(
        holding session: SessionID
    ) -> [(entry: SegmentEntry, part: Int)] {
        var found = places.places(of: session).compactMap { place in
            entries[place.segment].map { (entry: $0, part: place.part) }
        }
        if let place = activePlace(of: session), let active { found.append((active, place.part)) }
        return found
    }

    /// The session's place in the segment being written.
    private func activePlace(of session: SessionID) -> SessionPlaces.Place? {
        guard state == .writing else { return nil }
        let draft = rolls.first?.draft ?? draft
        return draft.number(of: session).map {
            SessionPlaces.Place(segment: draft.header.number, part: Int($0) - 1)
        }
    }

    /// Replaces a segment's entry, because it or its file has changed.
    mutating func replace(_ entry: SegmentEntry) {
        guard let old = entries[entry.number] else { return }
        entries.replace(entry)
        places.replace(old, by: entry)
    }

    /// - Returns: Number of sessions that no longer exist in the log.
    mutating func forget(_ number: UInt64) -> Int {
        guard let old = entries[number] else { return 0 }
        entries.remove(number)
        return places.remove(old).count { activePlace(of: $0) == nil }
    }
}
