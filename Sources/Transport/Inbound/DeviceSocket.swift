import NIOCore
import NIOTLS
import SensorModel
import WireFormat

/// A device on TCP: text lines or binary frames, decided by its first four bytes.
final class DeviceSocket: ChannelInboundHandler, DevicePort, DeadlineMember, LoopConnection {
    typealias InboundIn = ByteBuffer

    private static let nothing: [UInt8] = []
    private static let lineFeed = [UInt8(ascii: "\n")]

    private let loop: LoopState
    private let gate: any DeviceGate
    private let limits: ConnectionLimits
    private let origin: DeviceOrigin
    private let ticket: ConnectionTicket
    /// `nil` without TLS.
    private let records: TLSRecordGate?
    private var splitter: FrameSplitter
    private var connection: DeviceConnection?
    private var context: ChannelHandlerContext?
    private var deadline: Deadline?
    private var saidSomething = false
    private var isClosing = false
    /// The newest ack while the socket is not writable; it includes the earlier ones.
    private var heldAck: DaemonMessage?
    private var arrival: Timestamp?

    init(
        loop: LoopState, gate: any DeviceGate, limits: ConnectionLimits, origin: DeviceOrigin,
        ticket: ConnectionTicket, records: TLSRecordGate? = nil
    ) {
        self.records = records
        self.loop = loop
        self.gate = gate
        self.limits = limits
        splitter = FrameSplitter(lineBytesMax: limits.textLineBytesMax)
        self.origin = origin
        self.ticket = ticket
    }

    // MARK: - From the socket

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
        loop.setDeadline(&deadline, of: self, inSeconds: limits.helloSeconds)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        saidSomething = true
        guard !isClosing else { return }
        let buffer = unwrapInboundIn(data)
        offer(buffer.readableBytesUInt8Span)
        guard !ticket.setReceived(splitter.pendingBytes) else { return }
        refuse(.tooManyRequests, CloseCode.tooManyRequests.reason)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        arrival = nil
        loop.inbound.publish()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable, let held = heldAck else { return }
        heldAck = nil
        send(held)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        isClosing = true
        deadline?.cancel()
        loop.remove(self)
        ticket.release()
        if let connection { connection.socketClosed() }
    }

    var waitingBytes: Int { splitter.pendingBytes }

    func release() {
        connection = nil
    }

    /// Handles the end of a TLS handshake, and a half-close: a device that ends its side, as `nc`
    /// does at the end of a file, still waits for its acks. Its last line needs no line feed.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        defer { context.fireUserInboundEventTriggered(event) }
        if case .handshakeCompleted? = event as? TLSUserEvent {
            records?.handshakeFinished()
            records?.takeOverSoon()
        }
        guard case ChannelEvent.inputClosed = event, !isClosing else { return }
        if splitter.endsInWholeText {
            offer(Self.lineFeed.span)
            channelReadComplete(context: context)
        }
        guard let connection, connection.isOpen || connection.isWaiting else { return finish() }
        saidSomething = false
        loop.setDeadline(&deadline, of: self, inSeconds: limits.halfClosedSeconds)
        connection.inputEnded()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset, or a failed TLS handshake: no peer would receive a message.
        context.channel.drop(isReset: false)
    }

    /// - Returns: `false` if the ring had no space for all of it.
    @discardableResult
    private func offer(_ bytes: Span<UInt8>) -> Bool {
        do {
            return try splitter.split(bytes) { form, frame in take(form, frame) }
        } catch {
            loop.counters.countRefused(error)
            refuse(error.closes ?? .notAFrame, error.description)
            return true
        }
    }

    private func refuse(_ code: CloseCode, _ reason: String) {
        if let connection {
            connection.close(code, reason: reason)
        } else {
            close(code, reason: reason)
        }
    }

    private func take(_ form: FrameSplitter.Form, _ frame: Span<UInt8>) -> Bool {
        let connection = connection ?? connect(form)
        let arrival = arrival ?? loop.arrivalClock()
        self.arrival = arrival
        let isOpen = connection.isOpen
        let taken =
            switch form {
            case .binary: connection.take(frame: frame, arrival: arrival)
            case .text: connection.take(text: frame, arrival: arrival, isMessage: false)
            }
        if !isOpen, let device = connection.device { wasAdmitted(device) }
        return taken
    }

    private func connect(_ form: FrameSplitter.Form) -> DeviceConnection {
        let made = DeviceConnection(
            loop: loop, gate: gate, origin: origin, format: form == .text ? .text : .binary,
            limits: limits, port: self)
        connection = made
        return made
    }

    private func wasAdmitted(_ device: DeviceID) {
        guard ticket.prove(.device(device)) == nil else {
            connection?.close(.tooManyRequests)
            return
        }
        loop.setDeadline(&deadline, of: self, inSeconds: limits.deviceSilenceSeconds)
    }

    func offerAgain() -> Bool {
        defer { arrival = nil }
        return offer(Self.nothing.span)
    }

    func deadlineReached(_ tick: Int) -> Int? {
        guard !isClosing else {
            context?.channel.drop(isReset: false)
            return nil
        }
        guard let connection, connection.isOpen else {
            // A hello that waits for its turn is not late.
            if connection?.isWaiting == true { return limits.helloSeconds }
            loop.counters.countRefusedHello(.helloExpected)
            refuse(.helloExpected, CloseCode.helloExpected.reason)
            return limits.helloSeconds
        }
        guard saidSomething else {
            context?.close(promise: nil)
            return nil
        }
        saidSomething = false
        return limits.deviceSilenceSeconds
    }

    // MARK: - To the socket

    func send(_ message: DaemonMessage) {
        guard let context, !isClosing else { return }
        guard context.channel.isWritable else {
            if case .ack = message {
                heldAck = message
            } else {
                // The device sends but does not read: its answers must not fill the memory.
                context.channel.drop()
            }
            return
        }
        write(message)
    }

    private func write(_ message: DaemonMessage) {
        var bytes: [UInt8] = []
        if isBinary {
            message.appendBinary(at: loop.arrivalClock(), to: &bytes)
        } else {
            message.appendLine(to: &bytes)
        }
        write(bytes)
    }

    /// The splitter is not accessed here: it may be the caller.
    private var isBinary: Bool { connection?.format == .binary }

    func send(commandJSON json: [UInt8]) {
        var bytes: [UInt8] = []
        if isBinary {
            guard json.count <= Limits.framePayloadBytesMax else { return }
            BinaryFrame.appendHeader(
                FrameHeader(kind: .command, sequence: .none, deviceTime: loop.arrivalClock()),
                payloadBytes: json.count, to: &bytes)
            bytes += json
        } else {
            bytes = json + [UInt8(ascii: "\n")]
        }
        write(bytes)
    }

    private func write(_ bytes: [UInt8]) {
        guard let context, !isClosing else { return }
        context.writeAndFlush(
            NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    func setReading(_ reading: Bool) {
        // Fails only on a closed channel.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: reading)
    }

    func close(_ code: CloseCode, reason: String) {
        guard let context, !isClosing else { return }
        write(.error(code: code.rawValue, reason: reason))
        isClosing = true
        lingerThenClose(context)
    }

    /// Stops writing, and discards input until the peer closes or the time is up: closing with
    /// unread bytes would reset the connection, and a reset can overtake the reason.
    private func lingerThenClose(_ context: ChannelHandlerContext) {
        setReading(true)
        context.close(mode: .output, promise: nil)
        loop.setDeadline(&deadline, of: self, inSeconds: 2)
    }

    func finish() {
        guard let context, !isClosing else { return }
        if let held = heldAck { write(held) }
        isClosing = true
        loop.setDeadline(&deadline, of: self, inSeconds: 2)
        // Closing drops unwritten data; there can be no unread data.
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
    }

    func goAway(_: CloseCode) {
        refuse(.restarting, CloseCode.restarting.reason)
    }

    func abort() {
        context?.channel.drop(isReset: false)
    }
}
