import Client
import Foundation
package import Logging
import Registry
package import Runtime
import Secrets
package import SensorModel
import Transport

/// Notifies the owner's other systems when a session starts, ends, completes a kilometer or mile,
/// or raises an alert. Deliveries are signed, ordered per device, and retried after a failure.
/// Devices take turns, a few at once.
///
/// The signature is `X-Pulsecast-Signature: sha256=` and the HMAC-SHA256 of the body, with the
/// secret as the key.
package final class Webhooks: Sendable {
    private static let answerSeconds = 10.0

    private let accounts: Accounts
    private let logger: Logger
    private let waiting: WaitingWebhooks
    private let wake: AsyncStream<Void>.Continuation
    private let deliverer: Task<Void, Never>

    /// `nil` if the owner configures no webhooks.
    ///
    /// - Parameters:
    ///   - settings: Address of the receiver, and the location of the secret.
    ///   - environment: Environment with systemd's credentials.
    ///   - accounts: Source of device names.
    ///   - logger: Logger of failed deliveries.
    /// - Throws: ``ClientError`` for a bad address, or the error of reading the secret.
    package init?(
        _ settings: Configuration.Webhook, environment: [String: String], accounts: Accounts,
        logger: Logger
    ) throws {
        guard !settings.url.isEmpty else { return nil }
        let address = try ServerAddress(settings.url)
        guard address.scheme == .http || address.scheme == .https else {
            throw ClientError.badAddress(settings.url)
        }
        let secret = try SecretFile.bytes(
            configured: settings.secretFile, credential: "webhook-secret", environment: environment)
        self.accounts = accounts
        self.logger = logger
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        let waiting = WaitingWebhooks()
        self.waiting = waiting
        deliverer = Task {
            await withDiscardingTaskGroup { group in
                for await _ in wakes {
                    while let delivery = waiting.next() {
                        group.addTask {
                            await Self.deliver(delivery.event, to: address, secret: secret, logger)
                            {
                                waiting.isWanted(delivery)
                            }
                            waiting.ended(delivery)
                            wake.yield()
                        }
                    }
                }
            }
        }
    }

    deinit {
        wake.finish()
        deliverer.cancel()
    }

    package func began(_ session: SessionID, of device: DeviceID, at deviceTime: Timestamp) {
        send(
            WebhookEvent(
                event: "sessionStarted", device: accounts.device(device)?.name,
                session: session, time: deviceTime), of: device)
    }

    package func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID) {
        let name = accounts.device(device)?.name
        guard let event = WebhookEvent(event, device: name, session: session) else { return }
        send(event, of: device)
    }

    /// Drops deliveries of sessions that are being erased.
    @Sendable package func erase(_ sessions: Set<SessionID>) { waiting.erase(sessions) }

    private func send(_ event: WebhookEvent, of device: DeviceID) {
        if let dropped = waiting.append(event, of: device, at: .now) {
            logger.warning(
                "the webhook's receiver is too slow: \(dropped) messages were dropped")
        }
        wake.yield()
    }

    // MARK: Delivery

    private static func deliver(
        _ event: WebhookEvent, to address: ServerAddress, secret: [UInt8], _ logger: Logger,
        isWanted: () -> Bool
    ) async {
        guard let body = JSONBody.bytes(event) else { return }
        var fields: HTTPFields = [
            "Content-Type": "application/json", "User-Agent": "pulsecast/\(Version.text)",
            "X-Pulsecast-Event": event.event, "X-Pulsecast-Delivery": UUID().uuidString,
        ]
        if !secret.isEmpty {
            let code = MessageCode.signature(of: body, key: secret)
            fields["X-Pulsecast-Signature"] = "sha256=" + code
        }
        var generator = SystemRandomNumberGenerator()
        var failures = 0
        while !Task.isCancelled, isWanted() {
            let status = await status(of: body, fields, to: address)
            if let status, (200..<300).contains(status) { return }
            failures += 1
            let wait = WebhookSchedule.secondsBeforeRetry(
                failures: failures, status: status, using: &generator)
            guard let wait else {
                let answer = status.map { "status \($0)" } ?? "no answer"
                return logger.error("a webhook was given up: \(answer)")
            }
            do { try await Task.sleep(for: .seconds(wait)) } catch { return }
        }
    }

    /// - Returns: `nil` when no answer came in time.
    private static func status(
        of body: [UInt8], _ fields: HTTPFields, to address: ServerAddress
    ) async -> Int? {
        await Deadline.value(within: answerSeconds) {
            let client = HTTPClient(address, bodyBytesMax: 1 << 16)
            // The cause of a missing answer does not matter: the delivery is retried.
            let answer = try? await client.send(
                .post, address.target, fields: fields, body: body)
            return answer.flatMap { $0.status > 0 ? $0.status : nil }
        }
    }
}
