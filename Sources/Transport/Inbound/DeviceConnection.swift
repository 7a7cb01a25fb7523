import SensorModel
import Synchronization
import WireFormat

/// One device's connection over any transport: handshake, frames into the ring, answers out.
///
///     awaitingHello --admitted--> open --close, or the peer is gone--> closed
///
/// Back-pressure: when the ring is full, or holes in time exceed the ``HolePace``, the port stops
/// reading, and the frame and all later ones wait.
final class DeviceConnection: RingSpaceWaiter, TurnTaker {
    enum Phase {
        case awaitingHello
        case open(AdmittedDevice)
        /// `wasOpen`: the pipeline knows the connection and must receive its end.
        case closed(wasOpen: Bool)
    }

    let id: ConnectionID
    let format: DeviceFormat
    let loop: LoopState
    private let gate: any DeviceGate
    let origin: DeviceOrigin
    var port: (any DevicePort)?
    var phase = Phase.awaitingHello
    private var decoder = TextDecoder()
    /// Number of objects of the current text that are already in the ring.
    private var objectsTaken = 0
    private var refusals: RefusalWindow
    private let framesPerSecondMax: Int
    private var rate: FrameRate?
    private var holes: FrameHoles?
    /// The room in its device's pace that the connection waits for; `nil`: space in the ring.
    var need: HolePace.Need?
    var left: LeftBytes?
    /// Bytes counted in ``left`` after the socket has closed.
    var leftBytes = 0
    /// A record that must be written before any other: an opening that waits for its turn, or for
    /// which the ring had no space.
    var owed: InboundMessage?
    /// Whether the connection waits for space in the ring, or for a turn.
    var isWaiting = false
    /// Whether it is the turn of a connection without a hello. It ends with what was read: a line
    /// of nothing before the hello would pay for it otherwise.
    private var hasTurn = false
    /// Whether what is owed waits for its turn.
    private(set) var awaitsOpening = false
    var peerIsGone = false
    /// The peer sends no more but still reads.
    var peerHasEnded = false

    init(
        loop: LoopState, gate: any DeviceGate, origin: DeviceOrigin, format: DeviceFormat,
        limits: ConnectionLimits, port: any DevicePort
    ) {
        id = loop.makeConnectionID()
        self.loop = loop
        self.gate = gate
        self.origin = origin
        self.format = format
        self.port = port
        framesPerSecondMax = limits.framesPerSecondMax
        refusals = RefusalWindow(
            countMax: limits.refusalsMax, seconds: limits.refusalWindowSeconds)
    }

    /// The device, once it is admitted.
    var device: DeviceID? {
        if case .open(let admitted) = phase { admitted.device } else { nil }
    }

    var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    // MARK: - From the device

    /// - Parameters:
    ///   - text: A line or message: one object, or an array of objects.
    ///   - arrival: The daemon's clock at arrival.
    ///   - isMessage: Whether a text without an object is refused; a line may be empty.
    /// - Returns: `false`: no space; offer the same text again later.
    func take(text: Span<UInt8>, arrival: Timestamp, isMessage: Bool) -> Bool {
        guard !needsTurn else {
            return inTurn { take(text: text, arrival: arrival, isMessage: isMessage) }
        }
        guard payOwed() else { return wait() }
        if case .closed = phase { return true }
        do throws(HolePace.Need) {
            try holes?.checkRoom(textBytes: text.count, at: arrival)
        } catch {
            need = error
            return wait()
        }
        defer { holes?.haveRead(textBytes: text.count) }
        var payload: [UInt8] = []
        swap(&payload, &loop.scratch)
        defer { swap(&payload, &loop.scratch) }
        decoder.begin()
        var index = 0
        while true {
            if case .closed = phase { return true }
            var isRefused: RefusedFrame?
            var next: TextFrame?
            do {
                next = try decoder.next(
                    in: text, payload: &payload, arrivalTime: arrival, recorded: isRecorded)
            } catch { isRefused = error }
            if next == nil, isRefused == nil { break }
            defer { index += 1 }
            guard index >= objectsTaken else { continue }
            if let isRefused {
                guard refuse(isRefused, arrival) else { return wait() }
            } else if let next {
                guard take(next, payload: payload.span, arrival) else { return wait() }
            }
            objectsTaken += 1
        }
        objectsTaken = 0
        let empty = RefusedFrame(refusal: .lengthOutOfRange(bytes: text.count))
        return !isMessage || index > 0 || refuse(empty, arrival) || wait()
    }

    /// - Parameters:
    ///   - frame: A whole frame, including its length field.
    ///   - arrival: The daemon's clock at arrival.
    /// - Returns: `false`: no space; offer the same frame again later.
    func take(frame: Span<UInt8>, arrival: Timestamp) -> Bool {
        guard !needsTurn else { return inTurn { take(frame: frame, arrival: arrival) } }
        guard payOwed() else { return wait() }
        if case .closed = phase { return true }
        do throws(RefusedFrame) {
            return try decodeAndPush(frame, arrival) || wait()
        } catch {
            return refuse(error, arrival) || wait()
        }
    }

    private func decodeAndPush(
        _ frame: Span<UInt8>, _ arrival: Timestamp
    ) throws(RefusedFrame) -> Bool {
        let header = try BinaryFrame.header(of: frame)
        let payload = frame.extracting(Limits.frameHeaderBytes..<frame.count)
        if header.kind == .hello {
            do throws(FrameRefusal) {
                beginHandshake(try TextDecoder.hello(in: payload), arrival)
            } catch {
                throw RefusedFrame(refusal: error)
            }
            return true
        }
        guard case .open(let device) = phase else {
            refuseUntilHello()
            return true
        }
        do throws(FrameRefusal) {
            try FrameValidation.check(
                header, payload: payload, arrivalTime: arrival, recorded: device.recorded)
        } catch { throw RefusedFrame(refusal: error, sequence: header.sequence) }
        return push(header, payload: payload, arrival)
    }

    private var isRecorded: Bool {
        if case .open(let device) = phase { device.recorded } else { false }
    }

    private func take(_ text: TextFrame, payload: Span<UInt8>, _ arrival: Timestamp) -> Bool {
        switch text {
        case .hello(let hello):
            beginHandshake(hello, arrival)
            return true
        case .frame(let header, let heartRateDropped):
            guard isOpen else {
                refuseUntilHello()
                return true
            }
            guard push(header, payload: payload, arrival) else { return false }
            if heartRateDropped {
                loop.counters.heartRatesDropped.wrappingAdd(1, ordering: .relaxed)
            }
            return true
        }
    }

    private func push(
        _ header: FrameHeader, payload: Span<UInt8>, _ arrival: Timestamp
    ) -> Bool {
        var ticks = 0.0
        do throws(HolePace.Need) {
            ticks = try holes?.ticks(before: header, payload: payload, at: arrival) ?? 0
        } catch {
            need = error
            return false
        }
        let record = InboundMessage.frame(
            FrameArrival(connection: id, arrival: arrival, header: header))
        guard loop.inbound.push(record, payload: payload) else { return false }
        holes?.passed(header, ticks: ticks)
        loop.counters.countFrame(origin.transport, format)
        if let rate,
            !rate.allows(
                deviceTime: header.deviceTime, arrival: arrival, perSecondMax: framesPerSecondMax)
        {
            close(.tooManyRequests)
        }
        return true
    }

    // MARK: - Handshake

    private var needsTurn: Bool {
        if case .awaitingHello = phase { !hasTurn } else { false }
    }

    /// Takes a text or frame before the handshake, the hello, when it is the connection's turn.
    private func inTurn(_ take: () -> Bool) -> Bool {
        var isTaken = false
        let ran = loop.helloTurns.run(for: self, from: network) {
            hasTurn = true
            isTaken = take()
            hasTurn = false
        }
        if !ran { stopReading() }
        return isTaken
    }

    /// Continues with the hello, which is offered again, or with the opening.
    func takeTurn() {
        guard isWaiting else { return }
        (isWaiting, awaitsOpening) = (false, false)
        // Records of others may have entered the ring since the hello arrived.
        if case .opened(var opening) = owed {
            opening.arrival = loop.arrivalClock()
            owed = .opened(opening)
        }
        hasTurn = true
        if !resumeReading() { _ = wait() }
        hasTurn = false
        loop.inbound.publish()
    }

    private func beginHandshake(_ hello: Hello, _ arrival: Timestamp) {
        guard case .awaitingHello = phase else {
            _ = refuse(RefusedFrame(refusal: .unknownType), arrival)
            return
        }
        let answer = gate.admit(
            DeviceHandshake(
                hello: hello, headerToken: origin.headerToken, connection: id,
                transport: origin.transport, format: format, peer: origin.peer,
                isSecure: origin.isSecure))
        switch answer {
        case .success(let device):
            phase = .open(device)
            let known = loop.frameRates.rate(of: device.device)
            (rate, holes) = (device.recorded ? nil : known, FrameHoles(pace: known.holes))
            left = known.left
            loop.add(self)
            owed = .opened(
                DeviceOpening(
                    connection: id, device: device.device, tokenHash: device.tokenHash,
                    session: device.session, recorded: device.recorded, format: format,
                    transport: origin.transport, arrival: arrival))
            openInTurn()
        case .failure(let refusal):
            loop.counters.countRefusedHello(refusal.code)
            close(refusal.code)
        }
    }

    /// Writes the opening when it is its turn. It cannot wait for the first frame: a device may send
    /// none before it is welcomed.
    private func openInTurn() {
        awaitsOpening = !loop.openingTurns.run(for: self, from: network) {
            if !payOwed() { _ = wait() }
        }
        if awaitsOpening { stopReading() }
    }

    private func refuseUntilHello(_ reason: String? = nil) {
        guard case .awaitingHello = phase else { return }
        loop.counters.countRefusedHello(.helloExpected)
        close(.helloExpected, reason: reason)
    }

    private func refuse(_ refused: RefusedFrame, _ arrival: Timestamp) -> Bool {
        guard isOpen else {
            refuseUntilHello(refused.refusal.description)
            return true
        }
        let record = InboundMessage.refused(id, refused.sequence, arrival: arrival)
        guard loop.inbound.push(record) else { return false }
        loop.counters.countRefused(refused.refusal)
        guard refusals.admit(at: arrival) else {
            close(.tooManyRequests)
            return true
        }
        say(.error(refused.refusal))
        return true
    }

    func close(_ code: CloseCode, reason: String? = nil) {
        switch phase {
        case .awaitingHello: phase = .closed(wasOpen: false)
        case .open: phase = .closed(wasOpen: true)
        case .closed: return
        }
        loop.remove(self)
        port?.close(code, reason: reason ?? code.reason)
    }

    // MARK: - Space in the ring

    func payOwed() -> Bool {
        guard let record = owed else { return true }
        guard !awaitsOpening, loop.inbound.push(record) else { return false }
        owed = nil
        return true
    }

    func wait() -> Bool {
        guard !isWaiting else { return false }
        stopReading()
        loop.inbound.wait(self, for: need)
        return false
    }

    private func stopReading() {
        isWaiting = true
        port?.setReading(false)
    }

    func roomMayBeThere() -> RingSpaceUse {
        need = nil
        if resumeReading() { return .wroteAll }
        return need.map(RingSpaceUse.needs) ?? .foundNoSpace
    }

    /// - Returns: `false` if something still waits.
    private func resumeReading() -> Bool {
        // A hello that is offered again can owe its opening.
        guard payOwed(), port?.offerAgain() ?? true, payOwed() else { return false }
        isWaiting = false
        if peerIsGone { return end() }
        if peerHasEnded { return tellEnded() }
        port?.setReading(true)
        return true
    }
}
