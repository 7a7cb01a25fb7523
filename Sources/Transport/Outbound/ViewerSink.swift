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
/// The same applies to TLS 1.3 records that ``TLSRecordGate`` makes; with TLS 1.2 the library makes
/// the records.
///
/// The head of the answer that began the stream is its first bytes. It waits for the rest of the
/// loop's tick, because the first message usually follows in it: one system call sends both. With
/// TLS the library makes the head's record, because it sends its session tickets along with the
/// first record only.
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
    /// The answer's head, while it waits for the first message; empty with TLS.
    private var head: [UInt8]
    /// Whether records of the head wait in the channel for a flush.
    private var holdsRecords = false

    /// Create it in a task of the loop: in a handler, the TLS library may be in the middle of a
    /// read.
    ///
    /// - Parameters:
    ///   - socket: An upgraded socket. The connection is closed if its queued bytes exceed the
    ///     budget of all connections.
    ///   - head: Head of the answer, which is sent before everything else.
    init(_ socket: UpgradedSocket, head: [UInt8]) {
        ticket = socket.ticket
        channel = socket.channel
        hasTLS = socket.service.hasTLS
        self.head = hasTLS ? [] : head
        isOpen = channel.isActive
        guard isOpen else { return }
        if let gate = socket.records {
            gate.holdsFlushes = true
            _ = queue(channel.allocator.buffer(bytes: head))
            gate.holdsFlushes = false
            holdsRecords = true
            guard gate.takeOver() else {
                flush(gate)
                return
            }
            records = gate
        }
        descriptor = channelsDescriptor
        guard !hasTLS, hasWritesInChannel else { return }
        // The end of an earlier answer is not yet sent: the head must come behind it.
        self.head = []
        _ = queue(channel.allocator.buffer(bytes: head))
    }

    private var hasWritesInChannel: Bool {
        // It fails only on a closed channel.
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)).map { $0 > 0 } ?? false
    }

    /// `nil` if the channel has closed its socket.
    private var channelsDescriptor: CInt? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
    }

    var isQueueing: Bool { queuedBytes > 0 }

    /// Whether ``write(inner:using:)`` may be called.
    var makesRecords: Bool {
        records != nil && descriptor != nil && queuedBytes == 0 && head.isEmpty
    }

    /// Whether ``write(_:)`` sends the answer's head, too.
    var holdsHead: Bool { !head.isEmpty || holdsRecords }

    /// Sends the head at the end of the loop's tick, unless a message has taken it along. Call it
    /// after what may cause the first message.
    func sendHeadSoon() {
        guard isOpen, holdsHead else { return }
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.eventLoop.execute { bound.value.sendHead() }
    }

    func sendHead() {
        if !head.isEmpty { write([]) }
        if holdsRecords, let records { flush(records) }
    }

    private func flush(_ gate: TLSRecordGate) {
        holdsRecords = false
        isInWrite = true
        gate.flushHeld()
        isInWrite = false
    }

    /// Writes whole frames or lines; without TLS the bytes are shared, not copied.
    @discardableResult
    func write(_ content: [UInt8]) -> Outcome {
        guard isOpen else { return .written }
        var bytes = content
        if !head.isEmpty {
            bytes = head + content
            head = []
        }
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
        holdsRecords = false
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
        head = []
        descriptor = nil
        records = nil
        drained = nil
    }
}
