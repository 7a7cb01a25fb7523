import Client
import Foundation
import SensorModel
import Transport
import WireFormat

/// Sends frames to a daemon like a device: paced, acknowledged, resumed after a lost connection.
struct DeviceSender {
    /// A frame with its number, and when it is due.
    struct TimedFrame: Sendable {
        let frame: Frame
        /// Seconds since the start, at the recorded speed.
        let dueSeconds: Double
    }

    /// Consecutive attempts without progress.
    private static let retriesMax = 8
    private static let framesPerSend = 64
    /// Frames sent and not acknowledged; more would only wait in buffers.
    private static let unacknowledgedMax = 20_000

    let address: ServerAddress
    let token: String
    let session: SessionID
    /// Multiple of the recorded speed; `nil`: as fast as the daemon accepts.
    let speed: Double?
    let isRecorded: Bool
    var tls = ClientTLS()
    /// Receives the problem that keeps the sender from continuing, once per outage.
    var tell: @Sendable (String) -> Void = { _ in }

    /// Frames of a recording: numbered from 1, and due by their device times.
    static func timed(_ frames: [Frame]) -> [TimedFrame] {
        let origin = frames.first?.deviceTime
        return frames.enumerated().map { index, frame in
            var frame = frame
            frame.sequence = FrameSequence(rawValue: UInt32(index + 1))
            return TimedFrame(
                frame: frame, dueSeconds: origin.map { frame.deviceTime.seconds(since: $0) } ?? 0)
        }
    }

    /// Sends every frame and returns when the last one is acknowledged.
    ///
    /// - Parameters:
    ///   - frames: Numbered frames in the order in which they are sent.
    ///   - progress: Receives the number of frames acknowledged so far.
    /// - Throws: ``CommandFailure`` when the daemon refuses the device or cannot be reached.
    func send(
        _ frames: [TimedFrame], progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        var retries = 0
        var reached: UInt32 = 0
        var (wasConnected, wasWelcomed) = (false, false)
        // One start for all connections, because a watch keeps running while the daemon is away.
        var start: ContinuousClock.Instant?
        while true {
            let acknowledged = Acknowledged()
            do {
                if try await attempt(frames, since: &start, acknowledged, progress) { return }
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                wasConnected = wasConnected || start != nil
                var error = error
                wasWelcomed = wasWelcomed || acknowledged.isWelcomed
                if !wasWelcomed, let failure = error as? ClientError {
                    error = await failure.explained(at: address)
                }
                let mayPass = (error as? ClientError)?.mayPass ?? true
                guard mayPass, wasConnected, wasWelcomed || !Self.isSilence(error) else {
                    throw CommandFailure(
                        "\(error)" + (mayPass ? ": is the daemon running there?" : ""))
                }
                retries = acknowledged.sequence > reached ? 1 : retries + 1
                reached = max(reached, acknowledged.sequence)
                if retries == 1 { tell("\(error): trying again for half a minute") }
                guard retries <= Self.retriesMax else {
                    throw CommandFailure(
                        "\(error): \(address) did not come back; push the same recording again"
                            + " with --session \(session) to go on")
                }
            }
            try await Task.sleep(for: .milliseconds(200 * (1 << min(retries, 5))))
        }
    }

    private static func isSilence(_ error: any Error) -> Bool {
        if case ClientError.silent = error { true } else { false }
    }

    /// Runs one connection. `start` is the due time of the first frame; the first connection sets
    /// it.
    ///
    /// - Returns: Whether everything is acknowledged; `false`: reconnect and continue.
    /// - Throws: ``CommandFailure`` when the daemon refuses the device, otherwise network errors.
    private func attempt(
        _ frames: [TimedFrame], since start: inout ContinuousClock.Instant?,
        _ acknowledged: Acknowledged, _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Bool {
        let client = try await DeviceClient.connect(to: address, format: .binary, tls: tls)
        defer { Task { await client.close() } }
        let began = start ?? ContinuousClock().now
        start = began
        let now = Date().timeIntervalSince1970
        try await client.send(
            Hello(
                token: token, session: session, sentAt: now, sentAtText: "\(now)",
                recorded: isRecorded))
        let total = frames.map(\.frame.sequence.rawValue).max() ?? 0
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await Self.listen(to: client, until: total, acknowledged, progress)
            }
            group.addTask {
                let first = try await self.welcome(acknowledged)
                try await self.play(
                    frames, since: began, after: first, to: client, acknowledged)
                try await Task.sleep(for: .seconds(3600))
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private static func listen(
        to client: DeviceClient, until total: UInt32, _ acknowledged: Acknowledged,
        _ progress: @Sendable (Int) -> Void
    ) async throws -> Bool {
        for try await answer in client.answers {
            switch answer {
            case .welcome(let sequence, _): acknowledged.welcomed(at: sequence.rawValue)
            case .ack(let sequence): acknowledged.move(to: sequence.rawValue)
            case .error(let code, let reason):
                guard let known = CloseCode(rawValue: code), !known.mayReconnect else { continue }
                throw CommandFailure("the daemon refuses the device: \(reason) (\(code))")
            case .other: break
            }
            let sequence = acknowledged.sequence
            progress(Int(sequence))
            if sequence >= total { return true }
        }
        guard acknowledged.sequence >= total else { throw ClientError.connectionLost }
        return true
    }

    /// Waits for the daemon's welcome, and looks soon whether the port speaks TLS: it would wait for
    /// the rest of a handshake.
    private func welcome(_ acknowledged: Acknowledged) async throws -> UInt32 {
        let (secondsToLook, secondsMax) = (3, 12)
        let end = ContinuousClock().now + .seconds(secondsMax)
        let early = ContinuousClock().now + .seconds(secondsToLook)
        if let first = try await acknowledged.welcome(until: early) { return first }
        let silence = await ClientError.silent(seconds: secondsMax).explained(at: address)
        guard silence.mayPass else { throw silence }
        if let first = try await acknowledged.welcome(until: end) { return first }
        throw silence
    }

    private func play(
        _ frames: [TimedFrame], since start: ContinuousClock.Instant, after acked: UInt32,
        to client: DeviceClient, _ acknowledged: Acknowledged
    ) async throws {
        var next = frames.firstIndex { $0.frame.sequence.rawValue > acked } ?? frames.count
        while next < frames.count {
            var batch: [Frame] = []
            while next < frames.count, batch.count < Self.framesPerSend {
                let (frame, seconds) = (frames[next].frame, frames[next].dueSeconds)
                if let speed {
                    let due = seconds / speed
                    let elapsed = start.duration(to: ContinuousClock().now) / .seconds(1)
                    if due > elapsed {
                        guard batch.isEmpty else { break }
                        try await Task.sleep(for: .seconds(due - elapsed))
                    }
                }
                batch.append(frame)
                next += 1
            }
            try await client.send(batch)
            while next - Int(acknowledged.sequence) > Self.unacknowledgedMax {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
