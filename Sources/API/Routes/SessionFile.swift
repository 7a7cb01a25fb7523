import Recordings
import Registry
import Runtime
import SegmentLog
import SensorModel

/// A recorded session as a file, read from the log part by part on the readers' threads.
struct SessionFile: Sendable {
    private let pool: ReadPool
    private let party: ReadParty
    private var reading: ExportReading

    /// - Parameters:
    ///   - summary: The session.
    ///   - format: Format of the file.
    ///   - device: Name of its device; `nil`: the device is gone.
    ///   - pipeline: The pipeline with the log.
    /// - Throws: `SessionReadError`, ``ReadRefusal``
    init(
        of summary: SessionSummary, as format: ExportFormat, device: String?,
        from pipeline: Pipeline
    ) async throws {
        let (log, results) = (pipeline.log, pipeline.results)
        let title = device ?? "device-\(summary.device.rawValue)"
        let reservation = try pipeline.exports.begin(summary.device)
        pool = pipeline.reader.pool
        party = .device(summary.device)
        reading = try await pool.run(for: party) { ticket in
            let note = try results.notes(of: [summary.session])[summary.session]
            return try ExportReading(
                summary.session, as: format, device: title, name: note?.name, log: log,
                reservation: reservation, isCancelled: { ticket.isCancelled })
        }
    }

    /// - Returns: The next bytes; `nil` at the end.
    /// - Throws: `SessionReadError`, also when the session is erased meanwhile; ``ReadRefusal``
    mutating func nextPart() async throws -> [UInt8]? {
        try await nextPart { $0 }
    }

    /// - Parameter transform: Work on the part, done on the thread that reads it.
    /// - Returns: What came of the next part; `nil` at the end.
    /// - Throws: As above.
    mutating func nextPart<Part: Sendable>(
        _ transform: @escaping @Sendable ([UInt8]) -> Part
    ) async throws -> Part? {
        let (rest, part) = try await pool.run(for: party) { [reading] ticket in
            var reading = reading
            let part = try reading.nextPart(isCancelled: { ticket.isCancelled })
            return (reading, part.map(transform))
        }
        reading = rest
        return part
    }
}
