import Glibc
import NIOCore

/// The one way to write to an upgraded socket, and the only code that goes past the library.
///
/// Bytes shared by all viewers are handed to the kernel with `send()` straight from where they
/// lie: no copy, no allocation, no queue. That is only right when nothing is queued before them,
/// so everything that is written to such a socket comes through here: updates, pongs, the close.
///
///     nothing queued --send() took all--> nothing queued
///                    --it took less----> the rest is queued in the library --flushed--> …
///
/// Only on the channel's own loop. After the library has closed the descriptor it first fails what
/// is queued and only then tells the handlers; by then the number may be another connection's. So
/// the sink forgets it before it closes the channel, and with the first write that fails.
final class ViewerSink {
    enum Outcome: Hashable, Sendable {
        case written
        /// The socket is full: ``Drained`` comes once it is not.
        case queued
    }

    let channel: any Channel
    let hasTLS: Bool
    private let ticket: ConnectionTicket?
    /// `nil` with TLS, whose records the library makes, and once the channel is closed.
    private var descriptor: CInt?
    private(set) var queuedBytes = 0
    private var isInWrite = false
    /// Our own note of it: asking the channel costs a line of the cache that nothing else needs.
    private var isOpen: Bool
    /// Called when the last queued byte has gone out.
    var drained: (() -> Void)?
    /// Writes that went past the library, for tests.
    private(set) var directWrites = 0

    /// - Parameters:
    ///   - channel: Upgraded.
    ///   - hasTLS: Whether the library makes records of what is written.
    ///   - ticket: Counts what is queued; one that all connections together have no room for is
    ///     closed.
    init(channel: any Channel, hasTLS: Bool, ticket: ConnectionTicket? = nil) {
        self.ticket = ticket
        self.channel = channel
        self.hasTLS = hasTLS
        isOpen = channel.isActive
        guard isOpen, !hasTLS else { return }
        descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
    }

    var isQueueing: Bool { queuedBytes > 0 }

    /// Writes whole frames or lines, shared, not copied.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Outcome {
        guard isOpen else { return .written }
        guard let descriptor, queuedBytes == 0 else {
            return queue(channel.allocator.buffer(bytes: bytes))
        }
        assert(isChannels(descriptor), "a write to a descriptor that is another's by now")
        let sent = Self.send(bytes, to: descriptor)
        directWrites += 1
        if sent == bytes.count { return .written }
        guard sent >= 0 else {
            // The peer is gone.
            close()
            return .written
        }
        return queue(channel.allocator.buffer(bytes: bytes[sent...]))
    }

    /// For TLS: one buffer that all viewers share.
    @discardableResult
    func write(_ buffer: ByteBuffer) -> Outcome {
        guard isOpen else { return .written }
        return queue(buffer)
    }

    /// - Returns: Bytes taken; 0 when the socket is full; negative when it is broken.
    private static func send(_ bytes: [UInt8], to descriptor: CInt) -> Int {
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

    private func queue(_ buffer: ByteBuffer) -> Outcome {
        let count = buffer.readableBytes
        queuedBytes += count
        let isAllowed = ticket?.owes(more: count) ?? true
        isInWrite = true
        channel.writeAndFlush(buffer).assumeIsolated().whenComplete { result in
            self.queuedBytes -= count
            _ = self.ticket?.owes(more: -count)
            guard case .success = result else { return self.channelIsGone() }
            // What went out at once was never queued, as far as the caller is concerned.
            if self.queuedBytes == 0, !self.isInWrite { self.drained?() }
        }
        isInWrite = false
        if !isAllowed { close() }
        return queuedBytes == 0 ? .written : .queued
    }

    private func isChannels(_ descriptor: CInt) -> Bool {
        // Fails where the channel has closed its socket.
        let current = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        return current == descriptor
    }

    /// Closes at once; what is queued is dropped. The handlers are told.
    func close() {
        channelIsGone()
        channel.close(promise: nil)
    }

    /// Nothing is written, and nobody told of room, from here on.
    func channelIsGone() {
        isOpen = false
        descriptor = nil
        drained = nil
    }
}
