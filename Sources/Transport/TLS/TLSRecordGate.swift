import NIOCore
import NIOSSL
import Secrets
import Synchronization

/// Takes over the records of one TLS connection after the library's handshake.
///
/// The library also serves HTTP. Once a socket is a device's or is upgraded, this handler makes and
/// opens its records. That saves 17 KiB a connection, and in a broadcast the library's buffers,
/// promises and pipeline.
///
///     handshake --finished, TLS 1.3--> counting --takeOver()--> own records
///         └-------anything else------> opaque (the library keeps the connection)
///
/// Only ``FlushGate`` is between it and the socket. Loop only. It counts the records that the
/// library makes and opens with the application's keys, and continues with the next number. So no
/// number is used twice with one key, which would reveal the content of both records.
final class TLSRecordGate: ChannelDuplexHandler, TurnTaker {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Records of a connection that the library serves.
    private struct Handshake {
        var random: [UInt8] = []
        var suite: TLSTrafficKeys.Suite?
        var secrets: TLSSecretStore.Secrets?
        var isFinished = false
        /// Records with the application's keys.
        var (received, sent): (UInt64, UInt64) = (0, 0)
    }

    private enum State {
        case library(Handshake)
        case own(receiving: TLSTrafficKeys, sending: TLSTrafficKeys)
        case opaque
    }

    private let store: TLSSecretStore
    private let counters: TransportCounters
    private let turns: NetworkTurns
    private let network: PeerAddress.Prefix
    /// Whether received handshake records wait for their turn.
    private(set) var isWaiting = false
    /// Called with the bytes of an incomplete record; `false` ends the connection.
    private let setRecord: (Int) -> Bool
    private var state = State.library(Handshake())
    private var received = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var isClosing = false
    /// Consecutive records without content, each of which costs work.
    private var recordsWithoutContent = 0

    /// The limit of BoringSSL, which allows 32 key updates and 32 empty records in a row.
    private static let recordsWithoutContentMax = 32
    private var work = TLSRecordWork()
    /// Whether received bytes are TLS records; if not, the library reports the error.
    private var isFramed = true

    init(
        store: TLSSecretStore, counters: TransportCounters, turns: NetworkTurns,
        network: PeerAddress.Prefix, setRecord: @escaping (Int) -> Bool
    ) {
        (self.turns, self.network) = (turns, network)
        self.store = store
        self.counters = counters
        self.setRecord = setRecord
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        guard isWaiting else { return }
        (isWaiting, received) = (false, ByteBuffer())
        turns.left(network)
    }

    // MARK: - While the library serves

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard isFramed else { return context.fireChannelRead(wrapInboundOut(bytes)) }
        work.advance(to: .now())
        if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
        if case .library(let handshake) = state, !handshake.isFinished {
            if !isWaiting {
                isWaiting = !turns.run(for: self, from: network) { readRecords(context) }
            }
        } else {
            readRecords(context)
        }
        guard setRecord(received.readableBytes) else {
            received = ByteBuffer()
            return abort(.unexpectedMessage, context)
        }
    }

    /// Continues the handshake; the end of the read was already signaled.
    func takeTurn() {
        guard isWaiting, let context else { return }
        isWaiting = false
        readRecords(context)
        context.fireChannelReadComplete()
    }

    private func readRecords(_ context: ChannelHandlerContext) {
        do throws(NotTLSRecords) {
            while let record = try received.readRecord() {
                guard work.admit(bytes: record.readableBytes - overhead, isOpened: isOwn) else {
                    received = ByteBuffer()
                    return abort(.unexpectedMessage, context)
                }
                switch state {
                case .library: pass(record, context)
                case .own: open(record, context)
                case .opaque: context.fireChannelRead(wrapInboundOut(record))
                }
            }
        } catch {
            becomeUnframed(context)
        }
        // A new empty buffer frees the memory of the old one.
        if received.readableBytes == 0 { received = ByteBuffer() }
    }

    /// Bytes of a record beside its content: header, tag, and type (TLS 1.3) or nonce (TLS 1.2).
    private var overhead: Int {
        switch state {
        case .own: 22
        // Only TLS 1.3 has a known suite.
        case .library(let handshake): handshake.suite == nil ? 29 : 22
        case .opaque: 29
        }
    }

    private var isOwn: Bool { if case .own = state { true } else { false } }

    private func becomeUnframed(_ context: ChannelHandlerContext) {
        if case .own = state { return abort(.decodeError, context) }
        state = .opaque
        isFramed = false
        let rest = received
        received = ByteBuffer()
        if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
    }

    private func pass(_ record: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .library(var handshake) = state else { return }
        if handshake.isFinished {
            handshake.received += 1
        } else {
            if handshake.random.isEmpty { handshake.random = record.clientRandom }
            // Only the library's answer to the client's last message has the application's keys.
            handshake.sent = 0
        }
        state = .library(handshake)
        context.fireChannelRead(wrapInboundOut(record))
        guard case .library(var after) = state, !after.isFinished, after.secrets == nil else {
            return
        }
        after.secrets = store.take(after.random)
        state = .library(after)
    }

    /// Called in the middle of the library's read of the client's last handshake record.
    func handshakeFinished() {
        guard case .library(var handshake) = state else { return }
        handshake.isFinished = true
        state = .library(handshake)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes: OutboundIn = unwrapOutboundIn(data)
        switch state {
        case .opaque: break
        case .library(var handshake):
            if handshake.suite == nil { handshake.suite = bytes.serverSuite }
            if let count = bytes.countRecords() {
                handshake.sent += count
                state = .library(handshake)
            } else {
                state = .opaque
            }
        case .own:
            let records = seal(Array(bytes.readableBytesView))
            return context.write(
                wrapOutboundOut(context.channel.allocator.buffer(bytes: records)), promise: promise)
        }
        context.write(data, promise: promise)
    }

    /// Whether written records wait for those that follow, or for ``flushHeld()``.
    var holdsFlushes = false

    func flush(context: ChannelHandlerContext) { if !holdsFlushes { context.flush() } }
    func flushHeld() { context?.flush() }

    // MARK: - On its own

    /// Takes the connection from the library. Call it from the loop, not from a handler: the
    /// library must not be in the middle of a read.
    ///
    /// - Returns: Whether it took over; if not, the library continues as before.
    func takeOver() -> Bool {
        guard case .library(let handshake) = state, handshake.isFinished,
            let suite = handshake.suite, let secrets = handshake.secrets,
            let receiving = TLSTrafficKeys(
                suite: suite, secret: secrets.ofClient, sequence: handshake.received),
            let sending = TLSTrafficKeys(
                suite: suite, secret: secrets.ofServer, sequence: handshake.sent),
            let pipeline = context?.pipeline.syncOperations,
            let library = try? pipeline.handler(type: NIOSSLServerHandler.self)
        else { return false }
        state = .own(receiving: receiving, sending: sending)
        pipeline.removeHandler(library, promise: nil)
        counters.tlsTakeovers.wrappingAdd(1, ordering: .relaxed)
        return true
    }

    /// Takes over once the library's read is done.
    func takeOverSoon() {
        guard let eventLoop = context?.eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { _ = bound.value.takeOver() }
    }

    /// Makes records of content; the caller must send them in the order of the calls.
    ///
    /// - Parameter content: Application data.
    /// - Returns: The records' bytes.
    func seal(_ content: [UInt8]) -> [UInt8] {
        var records: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + TLSTrafficKeys.contentBytesMax, content.count)
            seal(
                inner: content[start..<end] + [TLSTrafficKeys.Content.application.rawValue],
                into: &records)
            start = end
        } while start < content.count
        return records
    }

    /// Makes one record.
    ///
    /// - Parameters:
    ///   - inner: At most 16 KiB of content, and its type as last byte.
    ///   - records: The record is appended.
    func seal(inner: [UInt8], into records: inout [UInt8]) {
        guard case .own(let receiving, var sending) = state else { return }
        state = .opaque
        if sending.isWornOut { Self.update(&sending, into: &records) }
        sending.seal(inner, into: &records)
        state = .own(receiving: receiving, sending: sending)
    }

    /// Writes finished records behind the queued ones.
    func write(sealed records: ByteBuffer) -> EventLoopFuture<Void>? {
        context?.writeAndFlush(wrapOutboundOut(records))
    }

    private static func update(_ keys: inout TLSTrafficKeys, into records: inout [UInt8]) {
        // A KeyUpdate message, whose last byte 0 requests no update of the peer's keys.
        keys.seal([24, 0, 0, 1, 0, TLSTrafficKeys.Content.handshake.rawValue], into: &records)
        keys.update()
    }

    private func open(_ record: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .own(var receiving, var sending) = state, !isClosing else { return }
        guard
            record.getInteger(at: record.readerIndex, as: UInt8.self)
                == TLSTrafficKeys.Content.application.rawValue
        else { return abort(.unexpectedMessage, context) }
        let opened: (content: [UInt8], type: TLSTrafficKeys.Content)
        do {
            opened = try receiving.open(Array(record.readableBytesView))
        } catch {
            return abort(error == .notAuthentic ? .badRecord : .decodeError, context)
        }
        let hasContent = opened.type == .application && !opened.content.isEmpty
        recordsWithoutContent = hasContent ? 0 : recordsWithoutContent + 1
        guard recordsWithoutContent <= Self.recordsWithoutContentMax else {
            return abort(.unexpectedMessage, context)
        }
        switch opened.type {
        case .application:
            state = .own(receiving: receiving, sending: sending)
            guard hasContent else { return }
            context.fireChannelRead(
                wrapInboundOut(context.channel.allocator.buffer(bytes: opened.content)))
        case .alert:
            // The peer closes, or reports an error.
            state = .own(receiving: receiving, sending: sending)
            context.close(promise: nil)
        case .handshake:
            guard opened.content.count == 5, opened.content.starts(with: [24, 0, 0, 1]),
                opened.content[4] <= 1
            else { return abort(.unexpectedMessage, context) }
            guard work.admitKeyUpdate() else { return abort(.unexpectedMessage, context) }
            receiving.update()
            var records: [UInt8] = []
            if opened.content[4] == 1 { Self.update(&sending, into: &records) }
            state = .own(receiving: receiving, sending: sending)
            guard !records.isEmpty else { return }
            context.writeAndFlush(
                wrapOutboundOut(context.channel.allocator.buffer(bytes: records)), promise: nil)
        }
    }

    // MARK: - The end

    private enum Alert: UInt8 {
        case closeNotify = 0
        case unexpectedMessage = 10
        case badRecord = 20
        case decodeError = 50
    }

    private func abort(_ alert: Alert, _ context: ChannelHandlerContext) {
        say(alert, context)
        context.close(promise: nil)
    }

    private func say(_ alert: Alert, _ context: ChannelHandlerContext) {
        guard !isClosing, case .own = state else { return }
        isClosing = true
        var records: [UInt8] = []
        let level: UInt8 = alert == .closeNotify ? 1 : 2
        seal(inner: [level, alert.rawValue, TLSTrafficKeys.Content.alert.rawValue], into: &records)
        context.writeAndFlush(
            wrapOutboundOut(context.channel.allocator.buffer(bytes: records)), promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input { say(.closeNotify, context) }
        context.close(mode: mode, promise: promise)
    }
}
