import Bytes
public import SensorModel

extension InboundMessage {
    private enum Tag {
        static let opened: UInt8 = 0
        static let frame: UInt8 = 1
        static let refused: UInt8 = 2
        static let closed: UInt8 = 3
        static let finished: UInt8 = 4
    }

    /// `nil` only for bytes that ``append(to:)`` did not write.
    public init?(record: Span<UInt8>) {
        guard record.count >= 24 else { return nil }
        let connection = ConnectionID(rawValue: record.uint64(at: 8))
        let arrival = record.timestamp(at: 16)
        switch record[0] {
        case Tag.opened:
            guard record.count >= 80, let format = DeviceFormat(rawValue: record[1]),
                let transport = DeviceTransport(rawValue: record[2]),
                let tokenHash = SecretHash(bytes: (48..<80).map { record[$0] })
            else { return nil }
            self = .opened(
                DeviceOpening(
                    connection: connection,
                    device: DeviceID(rawValue: UInt32(truncatingIfNeeded: record.uint64(at: 24))),
                    tokenHash: tokenHash,
                    session: SessionID(high: record.uint64(at: 32), low: record.uint64(at: 40)),
                    recorded: record[3] != 0, format: format, transport: transport,
                    arrival: arrival))
        case Tag.frame:
            guard record.count >= Self.frameHeadBytes, let kind = FrameKind(rawValue: record[1])
            else { return nil }
            self = .frame(
                FrameArrival(
                    connection: connection, arrival: arrival,
                    header: FrameHeader(
                        kind: kind, sequence: record.sequence(at: 4),
                        deviceTime: record.timestamp(at: 24))))
        case Tag.refused: self = .refused(connection, record.sequence(at: 4), arrival: arrival)
        case Tag.closed: self = .closed(connection, arrival: arrival)
        case Tag.finished: self = .finished(connection, arrival: arrival)
        default: return nil
        }
    }

    /// - Returns: The arrival in a record that ``append(to:)`` wrote.
    public static func arrival(of record: Span<UInt8>) -> Timestamp { record.timestamp(at: 16) }

    private static func append(
        _ tag: UInt8, _ connection: ConnectionID, _ arrival: Timestamp, to bytes: inout [UInt8]
    ) {
        bytes.appendLittleEndian(UInt64(tag))
        bytes.appendLittleEndian(connection.rawValue)
        bytes.appendLittleEndian(UInt64(bitPattern: arrival.microseconds))
    }

    /// Appends the record; a frame's payload must be appended after it.
    public func append(to bytes: inout [UInt8]) {
        switch self {
        case .opened(let opening):
            bytes.append(Tag.opened)
            bytes.append(opening.format.rawValue)
            bytes.append(opening.transport.rawValue)
            bytes.append(opening.recorded ? 1 : 0)
            bytes.appendLittleEndian(UInt32(0))
            bytes.appendLittleEndian(opening.connection.rawValue)
            bytes.appendLittleEndian(UInt64(bitPattern: opening.arrival.microseconds))
            bytes.appendLittleEndian(UInt64(opening.device.rawValue))
            bytes.appendLittleEndian(opening.session.high)
            bytes.appendLittleEndian(opening.session.low)
            bytes += opening.tokenHash.bytes
        case .frame(let frame):
            bytes.append(Tag.frame)
            bytes.append(frame.header.kind.rawValue)
            bytes.appendLittleEndian(UInt16(0))
            bytes.appendLittleEndian(frame.header.sequence.rawValue)
            bytes.appendLittleEndian(frame.connection.rawValue)
            bytes.appendLittleEndian(UInt64(bitPattern: frame.arrival.microseconds))
            bytes.appendLittleEndian(UInt64(bitPattern: frame.header.deviceTime.microseconds))
        case .refused(let connection, let sequence, let arrival):
            bytes.appendLittleEndian(UInt32(Tag.refused))
            bytes.appendLittleEndian(sequence.rawValue)
            bytes.appendLittleEndian(connection.rawValue)
            bytes.appendLittleEndian(UInt64(bitPattern: arrival.microseconds))
        case .closed(let connection, let arrival):
            Self.append(Tag.closed, connection, arrival, to: &bytes)
        case .finished(let connection, let arrival):
            Self.append(Tag.finished, connection, arrival, to: &bytes)
        }
    }
}

extension Span<UInt8> {
    fileprivate func sequence(at start: Int) -> FrameSequence {
        FrameSequence(rawValue: uint32(at: start))
    }

    fileprivate func timestamp(at start: Int) -> Timestamp {
        Timestamp(microseconds: Int64(bitPattern: uint64(at: start)))
    }
}
