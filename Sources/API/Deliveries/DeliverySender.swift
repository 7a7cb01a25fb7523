import Client
import Foundation
import Logging
import Recordings
import Registry
package import Runtime
import Secrets
import SegmentLog
import SensorModel
import Transport

/// Tries a delivery once: reads the session as a FIT file, and brings it to its target.
package struct DeliverySender: Sendable {
    /// Seconds for one try: a slow server must not hold an export's memory for long.
    static let trySeconds = 300.0
    /// Seconds without progress: a server that takes nothing holds up others' deliveries.
    static let idleSeconds = 30.0
    /// Seconds for the log to write what was appended.
    private static let writeSeconds = 10.0
    package static let answerBytesMax = 1 << 20
    /// Longest file.
    static let fileBytesMax = 64 << 20

    let administration: Administration
    let pipeline: Pipeline
    let trustedHosts: TrustedHosts
    /// `nil`: the daemon's owner set none.
    let folder: DeliveryFolder?

    package init(
        administration: Administration, pipeline: Pipeline, configuration: Configuration
    ) {
        self.administration = administration
        self.pipeline = pipeline
        trustedHosts = TrustedHosts(configuration.alerts.trustedHosts)
        let folder = configuration.deliveries.folder
        self.folder = folder.isEmpty ? nil : DeliveryFolder(path: folder)
    }

    /// What is read, and where it goes.
    private struct Job: Sendable {
        let delivery: Delivery
        let summary: SessionSummary
        let run: DeliveredRun
        let isWanted: @Sendable () -> Bool
        let progress: Deadline.Progress
    }

    /// The two readings of a file differ: frames of its session came meanwhile.
    private struct Changed: Error, CustomStringConvertible {
        let description = "the session changed while it was read"
    }

    /// Its session or its target is gone.
    private struct Unwanted: Error {}

    /// - Parameters:
    ///   - delivery: The delivery, with this try counted.
    ///   - target: Where it goes.
    ///   - isWanted: Whether its session and its target are still there.
    /// - Returns: The outcome, and the frames that the file has.
    func attempt(
        _ delivery: Delivery, to target: DeliveryTarget, isWanted: @escaping @Sendable () -> Bool
    ) async -> (outcome: DeliveryOutcome, frames: Int?) {
        guard await isWritten() else { return (.retry("the log takes no records"), nil) }
        let accounts = administration.accounts
        guard let device = accounts.device(delivery.device),
            let summary = administration.catalog.summary(of: delivery.session),
            summary.device == delivery.device
        else { return (.gone, nil) }
        guard !device.isRevoked else { return (.retry("the device's token is revoked"), nil) }
        let outcome = await Deadline.value(within: Self.trySeconds, idleFor: Self.idleSeconds) {
            (progress) -> DeliveryOutcome? in
            do {
                let results = pipeline.results
                let name = try await pipeline.reader.pool.run(for: .device(device.id)) { _ in
                    try results.notes(of: [summary.session])[summary.session]?.name
                }
                let run = DeliveredRun(
                    session: summary.session, device: device.name, name: name,
                    times: summary.deviceTimes ?? summary.arrivalTimes)
                let job = Job(
                    delivery: delivery, summary: summary, run: run,
                    isWanted: {
                        isWanted() && accounts.device(device.id).map { !$0.isRevoked } ?? false
                    }, progress: progress)
                return target.kind == .folder
                    ? try await store(job) : try await send(job, to: target)
            } catch is Unwanted {
                return .gone
            } catch { return DeliveryOutcome(error) }
        }
        let late = DeliveryOutcome.retry(
            "nothing went on for \(Int(Self.idleSeconds)) s, or it took \(Int(Self.trySeconds)) s")
        return (outcome ?? late, summary.frames)
    }

    /// Waits until what the pipeline has computed so far can be read: the end of a run is told
    /// before its last records are.
    func isWritten() async -> Bool {
        guard await pipeline.mailbox.ask({ _ in true }) ?? false else { return false }
        let log = pipeline.log
        let end = log.nextOffset.rawValue
        guard end > 0 else { return true }
        log.flush()
        let last = RecordOffset(rawValue: end - 1)
        return await Deadline.value(within: Self.writeSeconds) {
            await log.waitUntilWritten(through: last, onFailure: .report) == .reached
        } ?? false
    }

    /// Reads the session's file, and calls `body` with each part.
    private func read(_ job: Job, _ body: ([UInt8]) async throws -> Void) async throws {
        var file = try await SessionFile(
            of: job.summary, as: .fit, device: job.run.device, from: pipeline)
        while let part = try await file.nextPart() {
            guard job.isWanted() else { throw Unwanted() }
            job.progress.note()
            try await body(part)
        }
    }

    // MARK: Folder

    private func store(_ job: Job) async throws -> DeliveryOutcome {
        guard let folder else {
            return .failed("the daemon's owner has set no deliveries.folder")
        }
        do {
            let file = try await folder.work.run {
                try folder.begin(
                    job.run, named: "\(job.delivery.id)-\(job.delivery.tries)",
                    bytes: Self.fileBytesMax)
            }
            do {
                var count = 0
                try await read(job) { part in
                    count += part.count
                    guard count <= Self.fileBytesMax else { throw ReadRefusal.tooLong }
                    try await folder.work.run { try file.append(part) }
                }
            } catch {
                folder.work.start { file.drop() }
                throw error
            }
            guard job.isWanted(), !Task.isCancelled else {
                folder.work.start { file.drop() }
                throw Unwanted()
            }
            try await folder.work.run { try file.end() }
        } catch let refusal as DeliveryFolder.Refusal {
            // The path is not for who holds a device's token.
            administration.logger.warning(
                "a run cannot be written: \(refusal.description)",
                metadata: ["session": "\(job.run.session)"])
            return .retry("the daemon's folder cannot be written: its journal says why")
        }
        return .delivered
    }

    // MARK: Servers

    private func send(_ job: Job, to target: DeliveryTarget) async throws -> DeliveryOutcome {
        var target = target
        if target.kind == .fittrackee {
            if FitTrackeeSecret(target.secret).accessToken == nil,
                let refusal = try await renewToken(of: &target, for: job.delivery.device)
            {
                return refusal
            }
            // The answer to an earlier try may have been lost.
            if job.delivery.tries > 1,
                let outcome = try await look(
                    for: job.run, at: &target, of: job.delivery.device)
            {
                return outcome
            }
        }
        var answer = try await upload(job, to: target)
        if answer.status == 401, target.kind == .fittrackee,
            FitTrackeeSecret(target.secret).client != nil
        {
            if let refusal = try await renewToken(of: &target, for: job.delivery.device) {
                return refusal
            }
            answer = try await upload(job, to: target)
        }
        return DeliveryOutcome(status: answer.status, body: answer.body)
    }

    /// Sends the file in two readings: the first counts and signs its bytes, so that no file has to
    /// be held in memory or on the disk.
    private func upload(_ job: Job, to target: DeliveryTarget) async throws -> HTTPClient.Answer {
        var request = try DeliveryRequest(
            job.run, to: target, delivery: "\(job.run.session)-\(job.delivery.id)",
            boundary: "pulsecast-" + UUID().uuidString)
        let key = Array((target.kind == .webhook ? target.secret ?? "" : "").utf8)
        var (count, signer) = (0, MessageSigner(key: key))
        signer.append(request.head)
        try await read(job) { part in
            count += part.count
            guard count <= Self.fileBytesMax else { throw ReadRefusal.tooLong }
            signer.append(part)
        }
        var before = signer
        before.append(request.tail)
        if !key.isEmpty { request.fields["X-Pulsecast-Signature"] = "sha256=" + before.signature }

        var file = try await SessionFile(
            of: job.summary, as: .fit, device: job.run.device, from: pipeline)
        var (sent, again) = (0, MessageSigner(key: key))
        again.append(request.head)
        var rest: [[UInt8]] = [request.head]
        var isEnded = false
        return try await client(for: request.address).upload(
            .post, request.path, fields: request.fields,
            byteCount: request.head.count + count + request.tail.count
        ) {
            guard job.isWanted() else { throw Unwanted() }
            job.progress.note()
            if let first = rest.popLast() { return first }
            guard !isEnded else { return nil }
            if let part = try await file.nextPart() {
                sent += part.count
                again.append(part)
                guard sent <= count else { throw Changed() }
                return part
            }
            guard sent == count, again.signature == signer.signature else { throw Changed() }
            isEnded = true
            return request.tail
        }
    }

    func client(for address: ServerAddress) throws(NotAllowed) -> HTTPClient {
        guard let client = trustedHosts.client(for: address, bodyBytesMax: Self.answerBytesMax)
        else { throw NotAllowed() }
        return client
    }

    /// The daemon's owner has taken a host from `alerts.trusted_hosts`.
    struct NotAllowed: Error, CustomStringConvertible {
        let description = "its server's address is not allowed any more: give another one"
    }
}
