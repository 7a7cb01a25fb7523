public import Recordings
public import SegmentLog
public import SensorModel
public import Sessions
import WireFormat

/// Exports a recorded session from the log to another format. Blocks on the disk.
public struct SessionExporter: Sendable {
    private let reader: LogReader
    private let device: String
    private let name: String?

    /// - Parameters:
    ///   - reader: Reader of the log.
    ///   - device: The device's name, as given by the runner.
    ///   - name: Name of the session, for formats with a place for it; `nil`: none.
    public init(reader: LogReader, device: String, name: String? = nil) {
        self.reader = reader
        self.device = device
        self.name = name
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
        guard let export = try begin(session, as: format, isCancelled: { false }) else { return }
        var file = export
        if file.readsFrames {
            try reader.forEachRecord(of: session) { header, payload throws(SessionReadError) in
                guard case .frame(let kind) = header.type else { return }
                let frame = try Self.frame(kind, header, payload)
                file.append(frame, arrivalTime: header.arrivalTime)
                write(file.takeBytes())
            }
        }
        file.finish()
        write(file.takeBytes())
    }

    /// - Parameters:
    ///   - session: Session in the log.
    ///   - format: Format of the file.
    ///   - hasRoom: Called with the bytes of memory so far; `false` ends the reading.
    ///   - isCancelled: Checked between records.
    /// - Returns: The file's beginning; `nil` when it was cancelled, or has no room.
    /// - Throws: ``SessionReadError``
    func begin(
        _ session: SessionID, as format: ExportFormat, hasRoom: (Int) -> Bool = { _ in true },
        isCancelled: () -> Bool
    ) throws(SessionReadError) -> SessionExport? {
        guard format.readsRows else {
            guard reader.summary(of: session) != nil else { throw .unknownSession(session) }
            return .motion
        }
        guard
            var rows = try recordedSession(
                session, for: format, hasRoom: hasRoom, isCancelled: isCancelled),
            hasRoom(rows.bytes + SessionExport.bytesMax(of: format, rows)), !isCancelled()
        else { return nil }
        rows.name = name ?? rows.name
        return SessionExport(format: format, session: rows)
    }

    /// The session's rows, for formats that need them before their first byte.
    private func recordedSession(
        _ session: SessionID, for format: ExportFormat, hasRoom: (Int) -> Bool,
        isCancelled: () -> Bool
    ) throws(SessionReadError) -> RecordedSession? {
        var builder = RecordedSessionBuilder(id: session, device: device)
        var isFull = false
        let isWhole = try reader.forEachRecord(
            of: session, isCancelled: { isFull || isCancelled() }
        ) {
            header, payload throws(SessionReadError) in
            switch header.type {
            case .frame(let kind) where kind == .motion || kind == .exactMotion:
                // Most frames by far are motion, so only their layout is decoded.
                let layout = try Self.layout(kind, header, payload)
                builder.takeMotion(at: header.deviceTime, heartRate: layout.heartRate)
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
        guard isWhole, !isFull else { return nil }
        return builder.finish(format.hasPoints ? .points : .rows, hasRoom: hasRoom)
    }

    private static func layout(
        _ kind: FrameKind, _ header: RecordHeader, _ payload: Span<UInt8>
    ) throws(SessionReadError) -> MotionLayout {
        do throws(FrameRefusal) {
            return try MotionLayout(kind: kind, payload: payload)
        } catch { throw .unreadableFrame(header.offset, error) }
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
