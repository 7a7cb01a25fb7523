import NIOCore
import SensorModel

/// A WebSocket of a ``SocketProgram``: passes messages between its task and the loop.
final class ProgramSocket: WebSocketEndpoint {
    /// Maximum number of messages buffered for the program. The peer also waits when they have more
    /// bytes than one message may have.
    private static let messagesMax = 16

    let limits: ConnectionLimits
    let tooLargeCode = WebSocketRefusal.messageTooLarge.closeCode
    private let loop: LoopState
    private let ticket: ConnectionTicket
    private let isProved: Bool
    private var pace: MessagePace
    let messageBytesMax: Int
    private let run: @Sendable (SocketConversation) async -> Void
    private var socket: WebSocketChannel?
    private var task: Task<Void, Never>?
    private var joinDeadline: HandshakeDeadline?
    private var messages: [SocketMessage] = []
    private(set) var heldBytes = 0
    private var isHolding = false
    private var isClosed = false
    private var reader: CheckedContinuation<SocketMessage?, Never>?

    init(
        _ socket: UpgradedSocket, _ program: SocketProgram, proof: ConnectionProof?,
        _ run: @escaping @Sendable (SocketConversation) async -> Void
    ) {
        limits = socket.service.limits
        ticket = socket.ticket
        isProved = proof != nil
        messageBytesMax = min(program.messageBytesMax, limits.webSocketMessageBytesMax)
        pace = proof?.kind == .device ? .device : .reader
        loop = socket.loop
        self.run = run
    }

    func opened(_ socket: WebSocketChannel) {
        self.socket = socket
        if !isProved {
            joinDeadline = HandshakeDeadline(loop, seconds: limits.joinSeconds) { [weak self] in
                self?.socket?.close(.helloExpected)
            }
        }
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: loop.eventLoop), loop.eventLoop)
        let turns = loop.conversationTurns
        let conversation = SocketConversation(
            messages: AsyncStream(unfolding: {
                await withCheckedContinuation { continuation in
                    eventLoop.execute { bound.value.next(continuation) }
                }
            }),
            sendMessage: { message in
                turns.add { bound.value.send(message) }
            },
            join: { proof in
                turns.add { bound.value.join(proof) }
            },
            closeSocket: { code in
                turns.add { bound.value.socket?.close(code, reason: "") }
            })
        let run = run
        task = Task {
            await run(conversation)
            conversation.close()
        }
    }

    private func join(_ proof: ConnectionProof?) {
        joinDeadline = nil
        guard let socket, let proof, ticket.prove(proof) != nil else { return }
        socket.close(.tooManyRequests)
    }

    private func next(_ continuation: CheckedContinuation<SocketMessage?, Never>) {
        guard messages.isEmpty else {
            let message = messages.removeFirst()
            heldBytes -= message.bytes
            continuation.resume(returning: message)
            if isHolding {
                isHolding = false
                socket?.resume()
            }
            return
        }
        guard !isClosed else {
            continuation.resume(returning: nil)
            return
        }
        reader = continuation
    }

    private func send(_ message: SocketMessage) {
        guard let socket else { return }
        guard socket.sink.queuedBytes < loop.subscriberBytesMax else {
            socket.close(.tooSlow)
            return
        }
        switch message {
        case .text(let text): socket.send(ServerFrame.encode(.text, Array(text.utf8)))
        case .binary(let bytes): socket.send(ServerFrame.encode(.binary, bytes))
        }
    }

    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool {
        guard messages.count < Self.messagesMax, heldBytes < messageBytesMax else {
            isHolding = true
            return false
        }
        guard pace.admit(atNanoseconds: NIODeadline.now().uptimeNanoseconds) else {
            socket?.resumeLater()
            return false
        }
        let bytes = message.indices.map { message[$0] }
        let made: SocketMessage =
            kind == .text ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes)
        if let waiting = reader {
            reader = nil
            waiting.resume(returning: made)
        } else {
            messages.append(made)
            heldBytes += made.bytes
        }
        return true
    }

    func goAway(_ code: CloseCode) {
        socket?.close(code)
    }

    func closed() {
        isClosed = true
        socket = nil
        joinDeadline = nil
        task?.cancel()
        reader?.resume(returning: nil)
        reader = nil
    }
}
