import SensorModel

/// Recovery from a failure: a new segment begins where durability ended.
extension LogCore {
    /// Plans a new segment. Each attempt uses a new number, and the files of earlier attempts are
    /// not touched.
    mutating func planTakeover(after error: DiskError) -> WriteWork {
        lastNumber += 1
        let previous = entries.last { $0.index.endOffset > $0.index.firstOffset }
        let header = SegmentHeader(
            epoch: epoch, number: lastNumber, previous: previous?.number ?? 0,
            firstOffset: durableEnd, arrivalBase: latestArrival, generation: 0)
        return .takeOver(header, bytes: pendingBytes, after: error)
    }

    /// Notes that the new segment exists, with header and name synced. If its space is that of the
    /// reserve, `bytesMax` is its size.
    mutating func tookOver(
        _ header: SegmentHeader, file: any DiskFile, bytesMax: Int?, isPreallocated: Bool
    ) {
        var chunks = retained
        chunks += line.filled
        if line.current.count > 0 { chunks.append(line.current) }
        let drafts = [draft] + rolls.map(\.draft)
        retained = []
        retainedBytes = 0
        rolls = []
        entries.append(Self.entry(of: header))
        self.file = file
        hasBegun = true
        self.isPreallocated = isPreallocated
        segmentBytesMax = min(bytesMax ?? .max, configuration.segmentBytesMax)
        writtenEnd = durableEnd
        writtenPosition = SegmentFormat.recordsStart
        durablePosition = SegmentFormat.recordsStart
        line = ChunkQueue(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset,
            segmentBytes: configuration.segmentBytesMax)
        draft = SegmentDraft(header: header)
        state = .writing
        for chunk in chunks { encodeAgain(chunk, of: drafts) }
        isFlushWanted = line.current.count > 0 || !line.filled.isEmpty
    }

    /// Encodes the chunk's records again, with the same offsets, into the segment being filled now.
    private mutating func encodeAgain(_ chunk: Chunk, of drafts: [SegmentDraft]) {
        guard let old = drafts.first(where: { $0.header.number == chunk.header.number }) else {
            preconditionFailure("a chunk of no segment")
        }
        var place = 0
        var offset = chunk.firstOffset
        while place < chunk.count {
            guard
                let record = RawRecord.decode(
                    chunk.bytes.span.extracting(first: chunk.count), at: place,
                    position: chunk.position + place, arrivalBase: old.header.arrivalBase,
                    seed: old.seed)
            else { preconditionFailure("memory does not hold what was stored") }
            let start = place + SegmentFormat.recordHeaderBytes
            place += record.bytes
            guard RecordTag.isNumbered(record.tag) else { continue }
            if record.isTimed { offset = UInt64(record.arrivalTime) }
            defer { offset += 1 }
            guard offset >= draft.offset else { continue }
            let part = old.index.parts[Int(record.session) - 1]
            if !draft.fits(
                payloadBytes: record.payloadBytes, arrivalTime: record.arrivalTime,
                bytesMax: segmentBytesMax)
            {
                // Arrival times in the new segment are relative to this record's.
                latestArrival = record.arrivalTime
                roll()
            }
            draft.append(
                record, at: offset, of: part.session, device: part.device,
                payload: chunk.bytes.span.extracting(start..<place), to: &line)
        }
    }
}
