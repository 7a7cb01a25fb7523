extension CatalogFile {
    /// Upper bound of an index without marks: 32,000 sessions.
    private static let payloadBytesMax = 4 << 20
    private static let windowBytes = 1 << 20

    /// Reads the catalog up to the first damage; empty if there is none.
    static func read(from disk: any Disk) -> Content {
        var content = Content()
        do throws(DiskError) {
            let file = try disk.open(name, .read)
            guard try file.readUp(to: magic.count, at: 0) == magic else { return content }
            try read(file, into: &content)
        } catch {
            // An unreadable catalog is written anew: the segments are authoritative.
            content.state.end = nil
        }
        return content
    }

    private static func read(
        _ file: any DiskFile, into content: inout Content
    ) throws(DiskError) {
        var position = magic.count
        let size = try file.size()
        var window: [UInt8] = []
        var windowPosition = position
        while position < size {
            var place = position - windowPosition
            if place + headBytes > window.count || place + entryBytes(window, place) > window.count
            {
                let head = try file.readUp(to: headBytes, at: position)
                guard head.count == headBytes else { return }
                let needed = entryBytes(head, 0)
                guard needed <= payloadBytesMax else { return }
                window = try file.readUp(
                    to: min(max(windowBytes, needed), size - position), at: position)
                windowPosition = position
                place = 0
            }
            let count = entryBytes(window, place)
            guard place + count <= window.count,
                checksum(window.span, at: place, position: position)
                    == LittleEndian.load(UInt32.self, from: window.span, at: place),
                take(
                    window.span.extracting((place + headBytes)..<(place + count)),
                    at: position..<(position + count), into: &content)
            else { return }
            position += count
        }
        content.state.end = position
    }

    private static func entryBytes(_ bytes: [UInt8], _ place: Int) -> Int {
        headBytes + Int(LittleEndian.load(UInt32.self, from: bytes.span, at: place + 4))
    }

    /// - Returns: Whether the payload is a valid entry.
    private static func take(
        _ payload: Span<UInt8>, at place: Range<Int>, into content: inout Content
    ) -> Bool {
        guard payload.count >= 9 else { return false }
        let number = LittleEndian.load(UInt64.self, from: payload, at: 1)
        if payload[0] == 2 {
            content.state.obsolete += 1
            guard number > 0 else { return true }
            content.entries[number] = nil
            content.state.drop(number)
            content.state.voided[number] = place
            return true
        }
        guard payload[0] == 1, let entry = entry(payload, of: number) else { return false }
        content.entries[number] = entry
        content.state.drop(number)
        content.state.places[number] = place
        return true
    }

    /// Decodes an entry of kind 1.
    private static func entry(_ payload: Span<UInt8>, of number: UInt64) -> SegmentEntry? {
        let fixed = fixedBytes - headBytes
        guard payload.count > fixed,
            case .header(let header) = SegmentHeader.decode(payload.extracting(9..<73)),
            header.number == number,
            let bytes = Int(exactly: LittleEndian.load(UInt64.self, from: payload, at: 73)),
            let recordsEnd = Int(exactly: LittleEndian.load(UInt64.self, from: payload, at: 81)),
            recordsEnd < bytes,
            let index = SegmentIndex(decoding: payload.extracting(droppingFirst: fixed)),
            index.firstOffset == header.firstOffset
        else { return nil }
        var entry = SegmentEntry(
            number: number, header: header, isSealed: true, bytes: bytes, recordsEnd: recordsEnd,
            index: index)
        entry.isMarksOnDisk = true
        return entry
    }
}
