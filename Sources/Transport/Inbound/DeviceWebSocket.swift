import SensorModel
import WireFormat

/// A device on WebSocket: text messages with JSON, binary messages with whole frames.
final class DeviceWebSocket: WebSocketEndpoint, DevicePort {
    let limits: ConnectionLimits
    private let loop: LoopState
    private let gate: any DeviceGate
    private let origin: DeviceOrigin
    private let ticket: ConnectionTicket
    private var socket: WebSocketChannel?
    private var connection: DeviceConnection?
    private var helloDeadline: HandshakeDeadline?
    /// Bytes of the current binary message that are in the ring.
    private var taken = 0
    private var heldAck: DaemonMessage?
    private var arrival: Timestamp?

    var messageBytesMax: Int { limits.webSocketMessageBytesMax }
    var tooLargeCode: UInt16 { CloseCode.messageTooLarge.rawValue }

    init(_ socket: UpgradedSocket, headerToken: String?) {
        loop = socket.loop
        limits = socket.service.limits
        gate = socket.service.devices
        ticket = socket.ticket
        origin = DeviceOrigin(
            transport: .webSocket, headerToken: headerToken, peer: socket.request.peer,
            isSecure: socket.request.isSecure)
    }

    func opened(_ socket: WebSocketChannel) {
        self.socket = socket
        helloDeadline = HandshakeDeadline(loop, seconds: limits.helloSeconds) { [weak self] in
            guard let self, connection?.isOpen != true, connection?.isWaiting != true
            else { return }
            loop.counters.countRefusedHello(.helloExpected)
            end(.helloExpected)
        }
    }

    private func end(_ code: CloseCode) {
        if let connection { connection.close(code) } else { socket?.close(code) }
    }

    // MARK: - From the device

    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool {
        let arrival = arrival ?? loop.arrivalClock()
        self.arrival = arrival
        let connection = connection ?? connect(kind == .text ? .text : .binary)
        let wasOpen = connection.isOpen
        let taken =
            kind == .text
            ? connection.take(text: message, arrival: arrival, isMessage: true)
            : take(message, connection, arrival)
        if !wasOpen, let device = connection.device {
            helloDeadline = nil
            if ticket.prove(.device(device)) != nil { connection.close(.tooManyRequests) }
        }
        return taken
    }

    private func connect(_ format: DeviceFormat) -> DeviceConnection {
        let made = DeviceConnection(
            loop: loop, gate: gate, origin: origin, format: format, limits: limits, port: self)
        connection = made
        return made
    }

    private func take(
        _ message: Span<UInt8>, _ connection: DeviceConnection, _ arrival: Timestamp
    ) -> Bool {
        // An empty message is no frame, and counts as a wrong one.
        while taken < max(1, message.count) {
            let rest = message.extracting(taken..<message.count)
            guard let count = try? BinaryFrame.byteCount(at: rest), count <= rest.count else {
                let refusal = FrameRefusal.lengthOutOfRange(bytes: rest.count)
                loop.counters.countRefused(refusal)
                connection.close(.notAFrame, reason: refusal.description)
                break
            }
            guard connection.take(frame: rest.extracting(0..<count), arrival: arrival) else {
                return false
            }
            taken += count
        }
        taken = 0
        return true
    }

    func readComplete() {
        arrival = nil
        loop.inbound.publish()
    }

    func offerAgain() -> Bool { socket?.resume() ?? true }

    var waitingBytes: Int { socket?.heldBytes ?? 0 }

    /// Does nothing: the socket itself stops reading while a message is not taken.
    func setReading(_ reading: Bool) {}

    // MARK: - To the device

    func send(_ message: DaemonMessage) {
        guard let socket else { return }
        guard !socket.sink.isQueueing else {
            if case .ack = message {
                heldAck = message
            } else {
                // The device sends but does not read: its answers must not fill the memory.
                socket.close(.tooSlow)
            }
            return
        }
        var bytes: [UInt8] = []
        if connection?.format == .binary {
            message.appendBinary(at: loop.arrivalClock(), to: &bytes)
            socket.send(ServerFrame.encode(.binary, bytes))
        } else {
            message.appendJSON(to: &bytes)
            socket.send(ServerFrame.encode(.text, bytes))
        }
    }

    func send(commandJSON json: [UInt8]) {
        guard connection?.format == .binary else {
            socket?.send(ServerFrame.encode(.text, json))
            return
        }
        guard json.count <= Limits.framePayloadBytesMax else { return }
        var bytes: [UInt8] = []
        BinaryFrame.appendHeader(
            FrameHeader(kind: .command, sequence: .none, deviceTime: loop.arrivalClock()),
            payloadBytes: json.count, to: &bytes)
        socket?.send(ServerFrame.encode(.binary, bytes + json))
    }

    func drained() {
        guard let held = heldAck else { return }
        heldAck = nil
        send(held)
    }

    func close(_ code: CloseCode, reason: String) {
        send(.error(code: code.rawValue, reason: reason))
        socket?.close(code.rawValue, reason: code.reason)
    }

    /// A WebSocket has no half-closed state: a peer that ends its side has disconnected.
    func finish() { socket?.abort() }

    func goAway(_: CloseCode) {
        end(.restarting)
    }

    func closed() {
        helloDeadline = nil
        if let connection { connection.socketClosed() } else { release() }
    }

    func release() {
        socket = nil
        connection = nil
    }
}
