import FaultyDisk
import Ingest
import PushFormats
import Ring
import SegmentLog
import SensorModel
import Sessions
import WireFormat

/// Phone applications that push: production parts, in the order in which `PushService` and
/// `PushQueue` call them.
extension World {
    /// The time that `PushQueue` waits for the disk.
    private static let durableMicroseconds: Int64 = 5_000_000

    /// Adds an application on device 2 if no watch has that device, otherwise on device 3.
    func meetPusher() {
        guard random.happens(percent: 60) else { return }
        let device = DeviceID(rawValue: watches.count == 1 ? 2 : 3)
        let session = SessionID(using: &random)
        ledger.books[session] = Ledger.Book(device: device)
        pushers.append(Pusher(device: device, session: session))
    }

    // MARK: The application

    func push(_ index: Int) {
        if !isWell { pushers[index].make(at: steady, &random) }
        if let asked = pushers[index].asked {
            // The application stops waiting, and the daemon does not notice.
            let isOver = isWell ? !isAnswering(index) : random.happens(percent: 4)
            guard isOver else { return continueSending(index) }
            say("pusher \(index) gives up a request of \(asked)")
            pushers[index].asked = nil
        }
        if !pushers[index].kept.isEmpty, isWell || random.happens(percent: 25) { request(index) }
        continueSending(index)
    }

    /// Whether an answer may come.
    private func isAnswering(_ index: Int) -> Bool {
        let number = pushers[index].request
        return life.requests.contains { $0.pusher == index && $0.number == number }
    }

    private func request(_ index: Int) {
        let kept = pushers[index].kept
        let count = random.happens(percent: 30) ? 1 + random.below(kept.count) : kept.count
        pushers[index].request += 1
        pushers[index].asked = count
        guard isWell || !random.happens(percent: 10) else { return }  // the request never arrives
        take(Array(kept.prefix(count)), number: pushers[index].request, of: index, isSecond: false)
    }

    private func answer(_ request: PushedRequest, _ isRecorded: Bool) {
        say("pusher \(request.pusher), request \(request.number): recorded: \(isRecorded)")
        let pusher = pushers[request.pusher]
        if isRecorded, !request.isVoid {
            for item in request.items { ledger.settle(item.made, of: pusher.session) }
        }
        guard pusher.request == request.number, let asked = pusher.asked else { return }
        guard isWell || !random.happens(percent: 20) else { return }  // the answer gets lost
        pushers[request.pusher].asked = nil
        if isRecorded { pushers[request.pusher].kept.removeFirst(asked) }
    }

    /// Checks that applications keep no frames once disk and network are healthy.
    func checkPushers() throws {
        for (index, pusher) in pushers.enumerated() where !pusher.kept.isEmpty {
            throw Violation("\(pusher.kept.count) frames of pusher \(index) are never recorded")
        }
    }

    // MARK: The daemon

    /// Takes a request as `PushService` does and sends its frames as `PushQueue` does.
    private func take(
        _ items: [Pusher.Item], number: Int, of index: Int, isSecond: Bool
    ) {
        openLine(index)
        guard var line = life.lines[index] else { return }
        let session = pushers[index].session
        for item in items { ledger.push(item.made, of: session, on: line.number) }
        let fresh = line.memory.fresh(items.map(\.frame))
        line.unsent += fresh.compactMap(encoded)
        life.requests.append(
            PushedRequest(
                pusher: index, number: number,
                items: items.filter { encoded($0.frame) != nil }, line: line.number,
                isSecond: isSecond,
                progress: PushProgress(ringBytes: Life.ringBytes)))
        life.lines[index] = line
        say("pusher \(index), request \(number): \(items.count) frames, \(fresh.count) new")
    }

    private func openLine(_ index: Int) {
        // A line is closed after 20 s of silence.
        if let line = life.lines[index], now.seconds(since: line.lastUse) >= 20 {
            life.lines[index] = nil
            // If the ring is full, the daemon notices with the next line.
            _ = life.pushClosed(line.connection, at: now)
        }
        if life.lines[index] == nil {
            connections += 1
            lineCount += 1
            let connection = ConnectionID(rawValue: connections)
            hellos[connection] = pushers[index].session
            life.lines[index] = PushedLine(
                number: lineCount, connection: connection, lastUse: now)
        }
        life.lines[index]?.lastUse = now
    }

    private func encoded(_ frame: Frame) -> (header: FrameHeader, payload: [UInt8])? {
        var payload: [UInt8] = []
        let kind = FramePayload.encode(frame.payload, to: &payload)
        let header = FrameHeader(kind: kind, sequence: frame.sequence, deviceTime: frame.deviceTime)
        do throws(FrameRefusal) {
            try FrameValidation.check(
                header, payload: payload.span, arrivalTime: now, recorded: false)
        } catch { return nil }
        return (header, payload)
    }

    /// Moves frames into the ring while it has space.
    private func continueSending(_ index: Int) {
        guard var line = life.lines[index] else { return }
        if !line.isOpened { line.isOpened = life.pushOpened(line.connection, at: now) }
        while line.isOpened, let (header, payload) = line.unsent.first,
            life.pushFrame(header, payload.span, line.connection, at: now)
        {
            line.unsent.removeFirst()
        }
        life.lines[index] = line
        life.publish()
        life.flow.noteUnread(since: life.unreadSince)
    }

    /// Answers requests: those asked in this turn, and those durable since the last one.
    func settlePushes() {
        let requests = life.requests
        life.requests = []
        for var request in requests {
            guard let outcome = outcome(of: &request) else {
                life.requests.append(request)
                continue
            }
            switch outcome {
            case .ingested: answer(request, true)
            case .gone where !request.isSecond: takeAgain(request)
            case .gone, .notDurable, .askAgain: answer(request, false)
            }
        }
    }

    /// - Returns: `nil` if the outcome is still open.
    private func outcome(of request: inout PushedRequest) -> PushProgress.Step? {
        guard let end = request.end else {
            let line = life.lines[request.pusher]
            // A request asks once its frames, and new ones of earlier requests, are in the ring.
            if let line, line.number == request.line, !line.isOpened || !line.unsent.isEmpty {
                return nil
            }
            return ask(&request, line)
        }
        if life.log.durableEnd >= end { return .ingested(end: end) }
        if case .failed = life.log.state { return .notDurable }
        return steady < request.deadline ? nil : .notDurable
    }

    private func ask(
        _ request: inout PushedRequest, _ line: PushedLine?
    ) -> PushProgress.Step? {
        let session = pushers[request.pusher].session
        let connection = line?.number == request.line ? line?.connection : nil
        let step = request.progress.asked(
            PushProgress.Turn(
                isOurs: connection.flatMap { life.flow.table.session(of: $0) } == session,
                isDrained: life.loops.allSatisfy(\.ring.isEmpty), hasRoom: life.log.hasRoom,
                end: life.log.nextOffset))
        switch step {
        case .askAgain: return nil
        case .gone, .notDurable: return step
        case .ingested(let end):
            request.end = end
            request.deadline = steady + Self.durableMicroseconds
            return nil
        }
    }

    /// Repeats the request on a new line, because the session was erased or taken over.
    private func takeAgain(_ request: PushedRequest) {
        say("pusher \(request.pusher), request \(request.number): gone")
        if life.lines[request.pusher]?.number == request.line { life.lines[request.pusher] = nil }
        take(request.items, number: request.number, of: request.pusher, isSecond: true)
    }

    /// Voids requests that wait for erased records.
    func voidRequests(of session: SessionID) {
        for index in life.requests.indices
        where pushers[life.requests[index].pusher].session == session {
            life.requests[index].isVoid = life.requests[index].end != nil
        }
    }
}
