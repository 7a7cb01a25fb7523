import Glibc
import NIOCore

/// The only way to write to an upgraded socket, and the only code that bypasses the library.
///
/// Bytes shared by all viewers are passed to the kernel with `send()` directly: no copy, no
/// allocation, no queue. That is correct only while nothing is queued. So everything written to
/// such a socket goes through here: updates, pongs, the close.
///
///     nothing queued --send() took all--> nothing queued
///                    --it took less----> the rest is queued in the library --flushed--> …
///
/// The same applies to TLS 1.3 records that ``TLSRecordGate`` makes, from the next tick of the loop
/// on; until then, and with TLS 1.2, the library makes the records.
///
/// Only on the channel's own loop. When the library has closed the descriptor, it first fails
/// queued writes and only then notifies the handlers. By then the descriptor's number may belong to
/// another connection. So the sink forgets the descriptor before it closes the channel, and at the
/// first failed write.
final class ViewerSink {
    enum Outcome: Hashable, Sendable {
        case written
        /// The socket is full; ``drained`` is called once it is not.
        case queued
    }

    let channel: any Channel
    let hasTLS: Bool
    private let ticket: ConnectionTicket?
    /// `nil` while the library makes TLS records, and once the channel is closed.
    private var descriptor: CInt?
    /// Makes TLS records of written bytes; `nil` without TLS, and while the library makes them.
    private var records: TLSRecordGate?
    private(set) var queuedBytes = 0
    private var isInWrite = false
    /// A copy of the channel's state: reading the channel would cost an extra cache line.
    private var isOpen: Bool
    /// Called when the last queued byte was sent.
    var drained: (() -> Void)?
    /// Number of writes that bypassed the library, for tests.
    private(set) var directWrites = 0

    /// - Parameters:
    ///   - channel: An upgraded channel.
    ///   - hasTLS: Whether the peer gets TLS records.
    ///   - records: Gate to take over from the library; `nil` without TLS.
    ///   - ticket: Counts queued bytes. The connection is closed if they exceed the budget of all
    ///     connections.
    init(
        channel: any Channel, hasTLS: Bool, records: TLSRecordGate? = nil,
        ticket: ConnectionTicket? = nil
    ) {
        self.ticket = ticket
        self.channel = channel
        self.hasTLS = hasTLS
        isOpen = channel.isActive
        guard isOpen else { return }
        if !hasTLS { descriptor = channelsDescriptor }
        guard hasTLS, let records else { return }
        let bound = NIOLoopBound((sink: self, records: records), eventLoop: channel.eventLoop)
        channel.eventLoop.execute {
            let (sink, records) = bound.value
            guard sink.isOpen, records.takeOver() else { return }
            sink.records = records
            sink.descriptor = sink.channelsDescriptor
        }
    }

    /// `nil` if the channel has closed its socket.
    private var channelsDescriptor: CInt? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
    }

    var isQueueing: Bool { queuedBytes > 0 }

    /// Whether ``write(inner:using:)`` may be called.
    var makesRecords: Bool { records != nil && descriptor != nil && queuedBytes == 0 }

    /// Writes whole frames or lines; without TLS the bytes are shared, not copied.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Outcome {
        guard isOpen else { return .written }
        guard let descriptor, queuedBytes == 0 else {
            return queue(channel.allocator.buffer(bytes: bytes))
        }
        return send(records.map { $0.seal(bytes) } ?? bytes, to: descriptor)
    }

    /// Writes one TLS record.
    ///
    /// - Parameters:
    ///   - inner: At most 16 KiB of content that all viewers share, and its type as last byte.
    ///   - scratch: Reusable memory for the record.
    /// - Returns: Whether the record is queued; `written` also if the socket is closed.
    func write(inner: [UInt8], using scratch: inout [UInt8]) -> Outcome {
        guard let records, let descriptor else { return .written }
        scratch.removeAll(keepingCapacity: true)
        records.seal(inner: inner, into: &scratch)
        return send(scratch, to: descriptor)
    }

    private func send(_ bytes: [UInt8], to descriptor: CInt) -> Outcome {
        assert(
            channelsDescriptor == descriptor, "a write to a descriptor that is another's by now")
        let sent = Self.sendNow(bytes, to: descriptor)
        directWrites += 1
        if sent == bytes.count { return .written }
        guard sent >= 0 else {
            // The peer has disconnected.
            close()
            return .written
        }
        return queue(channel.allocator.buffer(bytes: bytes[sent...]), areRecords: records != nil)
    }

    /// Writes one buffer that all viewers share, for TLS while the library makes the records.
    @discardableResult
    func write(_ buffer: ByteBuffer) -> Outcome {
        guard isOpen else { return .written }
        return queue(buffer)
    }

    /// - Returns: Bytes taken; 0 if the socket is full; negative if it is broken.
    private static func sendNow(_ bytes: [UInt8], to descriptor: CInt) -> Int {
        while true {
            let sent = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.send(
                    descriptor, raw.baseAddress, raw.count,
                    CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            }
            if sent >= 0 { return sent }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK, ENOBUFS: return 0
            default: return -1
            }
        }
    }

    /// Queues bytes in the channel; `areRecords`: they are TLS records, or the rest of one.
    private func queue(_ buffer: ByteBuffer, areRecords: Bool = false) -> Outcome {
        let count = buffer.readableBytes
        queuedBytes += count
        let isAllowed = ticket?.changeOwed(by: count) ?? true
        isInWrite = true
        guard
            let written = areRecords
                ? records?.write(sealed: buffer) : channel.writeAndFlush(buffer)
        else {
            close()
            return .queued
        }
        written.assumeIsolated().whenComplete { result in
            self.queuedBytes -= count
            _ = self.ticket?.changeOwed(by: -count)
            guard case .success = result else { return self.channelIsGone() }
            // For the caller, bytes that were sent at once were never queued.
            if self.queuedBytes == 0, !self.isInWrite { self.drained?() }
        }
        isInWrite = false
        if !isAllowed { close() }
        return queuedBytes == 0 ? .written : .queued
    }

    /// Closes at once and drops queued bytes. The handlers are notified.
    func close() {
        channelIsGone()
        channel.drop(isReset: false)
    }

    /// Stops all writes and all calls of `drained`.
    func channelIsGone() {
        isOpen = false
        descriptor = nil
        records = nil
        drained = nil
    }
}
