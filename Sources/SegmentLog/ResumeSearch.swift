/// Finds the next record with a certain offset after damage in a segment.
///
/// Anchors contain the next offset, and so do records whose offset is their arrival time; other
/// records are counted. So the search finds the next anchor, then the earliest record from which
/// whole records lead exactly to it. The first of those records with an offset of its own gives the
/// offset; if there is none, the search counts back from the anchor.
///
///     … record │ damage │ ? record record record │ anchor (offset) │ record …
///                         ▲ found: offset − 3
struct ResumeSearch {
    struct Ground {
        var position: Int
        var offset: UInt64
    }

    /// Bytes searched before an anchor: twice the distance of two anchors. If the damage is longer,
    /// the records in between are lost with it.
    private static let searchBytes = 2 * SegmentFormat.anchorSpacingBytes

    private let bytes: [UInt8]
    /// Position of `bytes[0]`, where the damage begins.
    private let start: Int
    private let seed: Checksum
    private let arrivalBase: Int64
    private let offset: UInt64
    private let end: Int

    init(walk: SegmentWalk, rest: [UInt8], restPosition: Int) {
        bytes = rest
        start = restPosition
        seed = walk.seed
        arrivalBase = walk.header.arrivalBase
        offset = walk.offset
        end = walk.end
    }

    func found(endOffset: UInt64?) -> Ground? {
        var place = 1
        while let anchor = anchor(from: place) {
            if anchor.offset >= offset, let ground = ground(leadingTo: anchor) { return ground }
            place = anchor.position - start + 1
        }
        guard let endOffset, endOffset >= offset, start + bytes.count == end else { return nil }
        return ground(leadingTo: Ground(position: end, offset: endOffset))
    }

    func wasDurable() -> Bool {
        var place = 1
        while let anchor = anchor(from: place) {
            place = anchor.position - start
            let payload = place + SegmentFormat.recordHeaderBytes
            let durable = LittleEndian.load(UInt64.self, from: bytes.span, at: payload + 8)
            if durable > UInt64(start) { return true }
            place += 1
        }
        return false
    }

    private func anchor(from place: Int) -> Ground? {
        let span = bytes.span
        var place = place
        while place + SegmentFormat.recordHeaderBytes + SegmentFormat.anchorBytes <= span.count {
            if span[place + 7] == RecordTag.anchor, span[place + 4] == SegmentFormat.anchorBytes,
                let record = record(at: place, before: span.count),
                record.payloadBytes == SegmentFormat.anchorBytes
            {
                let payload = place + SegmentFormat.recordHeaderBytes
                let offset = LittleEndian.load(UInt64.self, from: span, at: payload)
                if offset <= SegmentFormat.numberMax {
                    return Ground(position: start + place, offset: offset)
                }
            }
            place += 1
        }
        return nil
    }

    /// The earliest record from which whole records lead to `target`; `target` itself if there is
    /// none.
    private func ground(leadingTo target: Ground) -> Ground? {
        let targetPlace = target.position - start
        for place in max(1, targetPlace - Self.searchBytes)..<max(1, targetPlace) {
            guard let found = ground(from: place, leadingTo: target), found.offset >= offset else {
                continue
            }
            return found
        }
        return target
    }

    /// The first record from `place` on whose offset is certain; `nil` unless whole records lead
    /// from there exactly to `target`.
    private func ground(from place: Int, leadingTo target: Ground) -> Ground? {
        let targetPlace = target.position - start
        var (reached, count) = (place, UInt64(0))
        var timed: Ground?
        while reached < targetPlace {
            guard let record = record(at: reached, before: targetPlace) else { return nil }
            // A hole contains the offset after it, which gives no offset for the records before it.
            let isHole = record.tag == RecordTag.hole || record.tag == RecordTag.erased
            if isHole, timed == nil { return nil }
            if RecordTag.isNumbered(record.tag) { count += 1 }
            if record.isTimed, timed == nil {
                guard let number = UInt64(exactly: record.arrivalTime) else { return nil }
                timed = Ground(position: start + reached, offset: number)
            }
            reached += record.bytes
        }
        guard reached == targetPlace else { return nil }
        if let timed { return timed }
        guard target.offset >= count else { return nil }
        return Ground(position: start + place, offset: target.offset - count)
    }

    private func record(at place: Int, before limit: Int) -> RawRecord? {
        RawRecord.decode(
            bytes.span.extracting(first: limit), at: place, position: start + place,
            arrivalBase: arrivalBase, seed: seed)
    }
}
