public import Recordings
public import SegmentLog
public import SensorModel
public import Sessions
import WireFormat

/// Exports a recorded session from the log to another format. Blocks on the disk.
public struct SessionExporter: Sendable {
    private let reader: LogReader
    private let device: String

    /// - Parameters:
    ///   - reader: Reader of the log.
    ///   - device: The device's name, as given by the runner.
    public init(reader: LogReader, device: String) {
        self.reader = reader
        self.device = device
    }

    /// - Parameters:
    ///   - session: Session in the log.
    ///   - format: Format of the file.
    ///   - write: Receives the file's bytes in order.
    /// - Throws: ``SessionReadError``
    public func export(
        _ session: SessionID, as format: ExportFormat, write: ([UInt8]) -> Void
    ) throws(SessionReadError) {
        // Only a cancellation gives `nil`.
        guard let recorded = try recordedSession(session, isCancelled: { false }) else { return }
        var export = SessionExport(format: format, session: recorded)
        if export.readsFrames {
            try reader.forEachRecord(of: session) { header, payload throws(SessionReadError) in
                guard case .frame(let kind) = header.type else { return }
                let frame = try Self.frame(kind, header, payload)
                export.append(frame, arrivalTime: header.arrivalTime)
                write(export.takeBytes())
            }
        }
        export.finish()
        write(export.takeBytes())
    }

    /// - Parameters:
    ///   - session: Session in the log.
    ///   - hasRoom: Called with the bytes of memory so far; `false` ends the reading.
    ///   - isCancelled: Checked between records.
    /// - Returns: `nil` when it was cancelled, or has no room.
    /// - Throws: ``SessionReadError``
    func recordedSession(
        _ session: SessionID, hasRoom: (Int) -> Bool = { _ in true }, isCancelled: () -> Bool
    ) throws(SessionReadError) -> RecordedSession? {
        var builder = RecordedSessionBuilder(id: session, device: device)
        var isFull = false
        let isWhole = try reader.forEachRecord(
            of: session, isCancelled: { isFull || isCancelled() }
        ) {
            header, payload throws(SessionReadError) in
            switch header.type {
            case .frame(let kind):
                builder.take(try Self.frame(kind, header, payload))
            case .metric, .event:
                do throws(RecordRefusal) {
                    builder.take(
                        try StreamEventCodec.decode(payload), arrivalTime: header.arrivalTime)
                } catch { throw .unreadableRecord(header.offset, error) }
            default: break
            }
            isFull = !hasRoom(builder.bytes)
        }
        return isWhole && !isFull ? builder.finish() : nil
    }

    package static func frame(
        _ kind: FrameKind, _ header: RecordHeader, _ payload: Span<UInt8>
    ) throws(SessionReadError) -> Frame {
        let frameHeader = FrameHeader(
            kind: kind, sequence: header.sequence, deviceTime: header.deviceTime)
        do throws(FrameRefusal) {
            return try FramePayload.decode(frameHeader, payload: payload)
        } catch { throw .unreadableFrame(header.offset, error) }
    }
}
