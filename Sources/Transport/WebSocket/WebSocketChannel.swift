import NIOCore
import SensorModel

/// A client's WebSocket: reads messages, answers pings and the close, sends pings.
///
///     open --our close--> closing --theirs, or 2 s--> closed
///          --their close, answered--> closing
final class WebSocketChannel: ChannelInboundHandler, DeadlineMember, LoopConnection {
    typealias InboundIn = ByteBuffer

    let loop: LoopState
    let sink: ViewerSink
    private let endpoint: any WebSocketEndpoint
    private let ticket: ConnectionTicket
    private var reader: WebSocketReader
    private var deadline: Deadline?
    private var isClosing = false
    private var isAwaitingPong = false
    /// `nil` until the first ping or pong that the peer sends.
    private var controls: MessagePace?
    /// Kind of the message for which the endpoint had no space; the message is in the reader.
    private var heldKind: ServerFrame.Kind?
    /// Whether reading is stopped because the peer does not read our data.
    private var isChoked = false
    /// Received bytes; those before ``unreadFrom`` are parsed.
    private var unread: [UInt8] = []
    private var unreadFrom = 0

    private static let queuedBytesMax = 1 << 20
    private static let closingSeconds = 2

    /// - Parameters:
    ///   - socket: An upgraded socket.
    ///   - endpoint: Receiver of its messages.
    ///   - head: Head of the answer to the client's request.
    init(_ socket: UpgradedSocket, _ endpoint: any WebSocketEndpoint, head: [UInt8]) {
        loop = socket.loop
        ticket = socket.ticket
        sink = ViewerSink(socket, head: head)
        self.endpoint = endpoint
        reader = WebSocketReader(bounds: .init(messageBytesMax: endpoint.messageBytesMax))
    }

    // MARK: - From the socket

    func handlerAdded(context: ChannelHandlerContext) {
        loop.add(self)
        loop.setDeadline(&deadline, of: self, inSeconds: endpoint.limits.pingSeconds)
        sink.drained = { [unowned self] in socketDrained() }
        endpoint.opened(self)
        sink.sendHeadSoon()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isAwaitingPong = false
        guard !isClosing else { return }
        let buffer = unwrapInboundIn(data)
        guard !isHolding else {
            unread.append(contentsOf: buffer.readableBytesView)
            return checkHeld()
        }
        let position = read(buffer.readableBytesUInt8Span, from: 0)
        if isHolding, !isClosing {
            unread.append(contentsOf: buffer.readableBytesView.dropFirst(position))
        }
        checkHeld()
    }

    private func checkHeld() {
        let held = heldBytes + endpoint.heldBytes
        if !ticket.setReceived(held) { close(.tooManyRequests) }
    }

    /// Received bytes that are not a whole message yet, or wait behind one.
    var heldBytes: Int { reader.message.count + unread.count }

    func channelReadComplete(context: ChannelHandlerContext) {
        endpoint.readComplete()
    }

    /// Handles the socket's end; earlier data that waits for space is still delivered.
    func channelInactive(context: ChannelHandlerContext) {
        sink.channelIsGone()
        deadline?.cancel()
        loop.remove(self)
        ticket.release()
        endpoint.closed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.channel.drop(isReset: false)
    }

    private var isHolding: Bool { heldKind != nil || isChoked }

    /// - Returns: The position after the last parsed byte; ``isHolding`` then says whether the rest
    ///   waits.
    private func read(_ chunk: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while !isClosing {
            let event: WebSocketReader.Event
            do throws(WebSocketRefusal) {
                guard let next = try reader.next(in: chunk, from: &position) else {
                    return position
                }
                event = next
            } catch {
                let code = error == .messageTooLarge ? endpoint.tooLargeCode : error.closeCode
                close(code, reason: "")
                return position
            }
            take(event)
            if isHolding {
                setReading(false)
                return position
            }
        }
        return position
    }

    private func take(_ event: WebSocketReader.Event) {
        switch event {
        case .text: offer(.text)
        case .binary: offer(.binary)
        case .ping(let payload):
            if admitsControl() { send(ServerFrame.encode(.pong, payload)) }
        case .pong: _ = admitsControl()
        case .close(let code): answerClose(code)
        }
    }

    /// - Returns: `false` if the peer sends too many pings and pongs; the socket is then closed.
    private func admitsControl() -> Bool {
        var pace = controls ?? .controls
        guard pace.admit(atNanoseconds: NIODeadline.now().uptimeNanoseconds) else {
            close(.tooManyRequests)
            return false
        }
        controls = pace
        return true
    }

    private func offer(_ kind: ServerFrame.Kind) {
        let message = reader.message
        heldKind = endpoint.received(kind, message.span) ? nil : kind
    }

    /// Offers the held message again and continues reading, when the endpoint has space again.
    ///
    /// - Returns: `false` if it had none.
    @discardableResult
    func resume() -> Bool {
        if let kind = heldKind {
            offer(kind)
            guard heldKind == nil else { return false }
        }
        guard !isHolding else { return true }
        var bytes: [UInt8] = []
        swap(&bytes, &unread)
        let position = read(bytes.span, from: unreadFrom)
        unreadFrom = 0
        if isHolding, !isClosing {
            (unread, unreadFrom) = (bytes, position)
        } else {
            setReading(true)
        }
        return heldKind == nil
    }

    /// Resumes after a pause without reads, for a peer that sent too much at once.
    func resumeLater() {
        let eventLoop = sink.channel.eventLoop
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: MessagePace.wait) {
            // Waiting messages of a peer that has disconnected are not delivered.
            guard bound.value.sink.channel.isActive else { return }
            bound.value.resume()
        }
    }

    private func setReading(_ reading: Bool) {
        // Fails only on a closed channel.
        try? sink.channel.syncOptions?.setOption(.autoRead, value: reading)
    }

    // MARK: - To the socket

    /// Writes a whole frame.
    @discardableResult
    func send(_ frame: [UInt8]) -> ViewerSink.Outcome {
        guard !isClosing else { return .written }
        let outcome = sink.write(frame)
        if sink.queuedBytes > Self.queuedBytesMax { isChoked = true }
        return outcome
    }

    private func socketDrained() {
        if isChoked, !isClosing {
            isChoked = false
            resume()
            endpoint.readComplete()
        }
        endpoint.drained()
    }

    func close(_ code: CloseCode) {
        close(code.rawValue, reason: code.reason)
    }

    func close(_ code: UInt16, reason: String) {
        guard !isClosing else { return }
        sink.write(ServerFrame.close(code, reason: reason))
        endClosing()
    }

    private func answerClose(_ code: UInt16?) {
        sink.write(ServerFrame.close(code))
        endClosing()
    }

    /// Stops writing, and discards input until the peer closes or the time is up: closing with
    /// unread bytes would reset the connection, and a reset can overtake the code.
    private func endClosing() {
        isClosing = true
        unread = []
        _ = ticket.setReceived(0)
        heldKind = nil
        setReading(true)
        sink.channel.close(mode: .output, promise: nil)
        loop.setDeadline(&deadline, of: self, inSeconds: Self.closingSeconds)
    }

    func deadlineReached(_ tick: Int) -> Int? {
        guard !isClosing, !isAwaitingPong else {
            abort()
            return nil
        }
        isAwaitingPong = true
        // With a full socket, the pending bytes already test whether the peer reads.
        if !sink.isQueueing { sink.write(ServerFrame.encode(.ping, [])) }
        return endpoint.limits.pingSeconds
    }

    func goAway(_ code: CloseCode) {
        endpoint.goAway(code)
    }

    func abort() {
        sink.close()
    }
}
