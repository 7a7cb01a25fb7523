import Bytes
import Client
import Foundation
package import Logging
import Registry
package import Runtime
import Secrets
import SensorModel
import Sessions
import Synchronization
import Transport

/// Brings messages to receivers, with what their share shows and a live link that ends with the
/// alert.
package final class AlertTeller: Sendable {
    static let answerSeconds = 10.0
    /// Seconds for what a share shows: a call for help does not wait for a slow disk.
    private static let shownSeconds = 3.0
    /// Seconds after which an alert of a recording is history.
    private static let historySeconds = 21_600.0
    /// Messages that are tried again at the same time.
    private static let retryingMax = 32

    let administration: Administration
    let shares: ShareRoutes
    let publicURL: @Sendable () -> String
    let trustedHosts: TrustedHosts
    /// `nil`: no broker is configured.
    let broker: AlertPublisher?
    let logger: Logger
    /// Links that were made for alerts, by their share.
    let links = Mutex<[ShareKey: AlertLink]>([:])
    private let retrying = Mutex(0)

    package init(
        administration: Administration, shares: ShareRoutes, trustedHosts: [String],
        broker: AlertPublisher?, publicURL: @escaping @Sendable () -> String, logger: Logger
    ) {
        self.administration = administration
        self.shares = shares
        self.publicURL = publicURL
        self.trustedHosts = TrustedHosts(trustedHosts)
        self.broker = broker
        self.logger = logger
    }

    private var accounts: Accounts { administration.accounts }

    // MARK: Telling

    /// Tells the receivers of a device that may know, each once. What fails is tried again
    /// meanwhile.
    func tell(_ news: AlertCenter.News, _ center: AlertCenter) async {
        let id = news.entry.device
        guard let device = accounts.device(id), !device.isRevoked,
            isWanted(news, center), await !isHistory(news.entry)
        else { return }
        let receivers = await receivers(of: news, center)
        var told: [ShareKey: Told] = [:]
        await withDiscardingTaskGroup { group in
            for (receiver, token) in receivers {
                let share = activeShare(of: receiver)
                guard mayKnow(news.entry, receiver, share) else { continue }
                let shown: Told
                if let known = told[receiver.share] {
                    shown = known
                } else {
                    shown = await look(share, news)
                    told[receiver.share] = shown
                }
                let message = AlertMessage(
                    news.entry, phase: news.phase, runner: share?.label ?? device.name,
                    shown: shown.values, isTimed: receiver.isTrusted || !hides(share, id),
                    timeZone: device.profile.timeZone, link: shown.link,
                    confirm: news.phase == .raised
                        ? token.map { "\(publicURL())/alert/\($0.text)" } : nil)
                if let token {
                    let notice = AlertNotice(message, news.entry, device.profile.timeZone)
                    center.state.withLock { $0.cases.note(notice, for: token) }
                }
                group.addTask {
                    await self.bring(message, to: receiver, of: id) { self.isWanted(news, center) }
                }
            }
        }
    }

    /// What a share shows, and the live link.
    private struct Told {
        let values: AlertMessage.Shown?
        let link: String?
    }

    private func look(_ share: Share?, _ news: AlertCenter.News) async -> Told {
        guard let share else { return Told(values: nil, link: nil) }
        let session = news.entry.key.session
        let snapshot = await Deadline.value(within: Self.shownSeconds) { [shares] () -> [UInt8]? in
            // Before its first point a share still shows the run before.
            let shown = await shares.pipeline.mailbox.ask {
                $0.hub.session(shownBy: share, at: $0.now)
            }
            guard shown ?? nil == session else { return nil }
            return try? await shares.snapshots(of: share, for: .unixSocket).first
        }
        // The end of the link would tell when the runner came home.
        let hasLink = news.entry.key.topic.isCallForHelp || !hides(share, news.entry.device)
        return Told(
            values: snapshot.flatMap(AlertMessage.Shown.init),
            link: hasLink && news.phase == .raised
                ? await Deadline.value(within: Self.shownSeconds) { await self.link(of: share) }
                : nil)
    }

    /// Whether the receiver may know of the alert. While the owner hides anything, or the share
    /// shows it later, only calls for help are told, but to trusted receivers.
    private func mayKnow(
        _ entry: AlertCases.Entry, _ receiver: Receiver, _ share: Share?
    ) -> Bool {
        let topic = entry.key.topic
        if topic == .silent {
            // Each receiver has its own patience; one that comes later is told again anyway.
            let silence = administration.clock().seconds(since: entry.since)
            guard let minutes = receiver.silentMinutes, silence >= Double(minutes) * 60 else {
                return false
            }
        }
        if topic.isCallForHelp || receiver.isTrusted { return true }
        guard let share, !hides(share, entry.device) else { return false }
        return !topic.isOfCourse || share.scope.contains(.location)
    }

    /// Whether a device's owner hides something from those who hold the share.
    func hides(_ share: Share?, _ device: DeviceID) -> Bool {
        !accounts.privacy(of: device).hidesNothing || share?.delaySeconds ?? 0 > 0
    }

    func activeShare(of receiver: Receiver) -> Share? {
        accounts.share(receiver.share).flatMap {
            $0.isActive(at: administration.clock()) ? $0 : nil
        }
    }

    /// Secret by which a receiver confirms. It is derived, so that an address in an earlier message
    /// stays valid after a restart, and of its address too: who has its place cannot confirm for it.
    private static func token(of entry: AlertCases.Entry, for receiver: Receiver) -> ShareID? {
        let name = receiver.name.lowercased() + "\n" + receiver.address
        let code = MessageCode.signature(of: Array(name.utf8), key: entry.secret.bytes)
        return Hexadecimal.bytes(of: code.utf8).flatMap { ShareID(bytes: Array($0.prefix(16))) }
    }

    /// Whether it may still be told: its session was not erased meanwhile, and nobody confirmed.
    private func isWanted(_ news: AlertCenter.News, _ center: AlertCenter) -> Bool {
        center.state.withLock { $0.cases.isWanted(news.entry, in: news.phase) }
            && administration.catalog.device(of: news.entry.key.session) == news.entry.device
    }

    /// Whether the alert is of a recording of another day that is sent now.
    private func isHistory(_ entry: AlertCases.Entry) async -> Bool {
        guard entry.raisedAt.seconds(since: entry.since) > Self.historySeconds else { return false }
        let session = entry.key.session
        return await shares.pipeline.mailbox.ask {
            $0.sessions[session]?.isRecorded ?? false
        } ?? false
    }

    /// The device's receivers, and the secret by which each confirms; none if the disk is too slow:
    /// the alert is told again. What lets them confirm is granted in the queue in which receivers
    /// are removed, so none is granted to one that is gone.
    private func receivers(
        of news: AlertCenter.News, _ center: AlertCenter
    ) async -> [(Receiver, token: ShareID?)] {
        let entry = news.entry
        return await Deadline.value(within: Self.shownSeconds) { [self] in
            await administration.changes.run { [self] in
                let receivers = (try? accounts.receivers(of: entry.device)) ?? []
                return receivers.map { receiver in
                    let token = Self.token(of: entry, for: receiver)
                    if let token, news.phase == .raised {
                        center.state.withLock {
                            $0.cases.grant(token, of: entry.key, to: receiver.name)
                        }
                    }
                    return (receiver, token)
                }
            }
        } ?? []
    }

    /// Whether a receiver is as it was: neither removed nor changed.
    private func isUnchanged(_ receiver: Receiver, of device: DeviceID) async -> Bool {
        await Deadline.value(within: Self.shownSeconds) { [administration] in
            await administration.changes.run {
                (try? administration.accounts.receivers(of: device))?.contains(receiver)
            }
        } ?? false
    }

    // MARK: Sending

    /// Brings a message once. If it fails and may succeed later, it is tried again meanwhile.
    private func bring(
        _ message: AlertMessage, to receiver: Receiver, of device: DeviceID,
        _ isWanted: @escaping @Sendable () -> Bool
    ) async {
        let delivery = UUID().uuidString
        let first = await status(of: message, to: receiver, of: device, delivery: delivery)
        if Self.isTaken(first) { return }
        let isAdmitted = retrying.withLock { count in
            guard count < Self.retryingMax else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { return complain(first, message, receiver) }
        Task {
            var (failures, status) = (1, first)
            var generator = SystemRandomNumberGenerator()
            while let wait = WebhookSchedule.secondsBeforeRetry(
                failures: failures, status: status, using: &generator)
            {
                do { try await Task.sleep(for: .seconds(wait)) } catch { break }
                guard isWanted(), await isUnchanged(receiver, of: device) else { break }
                status = await self.status(
                    of: message, to: receiver, of: device, delivery: delivery)
                if Self.isTaken(status) { break }
                failures += 1
            }
            retrying.withLock { $0 -= 1 }
            if !Self.isTaken(status) { complain(status, message, receiver) }
        }
    }

    /// Whether a status says that the message was taken; `nil`: no answer came.
    static func isTaken(_ status: Int?) -> Bool { status.map { (200..<300).contains($0) } ?? false }

    private func complain(_ status: Int?, _ message: AlertMessage, _ receiver: Receiver) {
        let answer = status.map { "status \($0)" } ?? "no answer"
        logger.error(
            "a receiver was not told of an alert: \(answer)",
            metadata: ["alert": "\(message.alert)", "receiver": "\(receiver.name)"])
    }

    /// Tries a receiver once.
    ///
    /// - Returns: The status of its answer; `nil`: none came.
    func test(_ receiver: Receiver, of device: Device) async -> Int? {
        await status(
            of: AlertMessage(testing: receiver.name, runner: device.name), to: receiver,
            of: device.id, delivery: UUID().uuidString)
    }

    private func status(
        of message: AlertMessage, to receiver: Receiver, of device: DeviceID, delivery: String
    ) async -> Int? {
        guard receiver.kind != .mqtt else {
            guard let broker, let name = accounts.device(device)?.name else { return nil }
            let isTaken = await Deadline.value(within: Self.answerSeconds) {
                await broker.publish(message, of: name)
            }
            return isTaken ?? false ? 200 : nil
        }
        guard let request = try? ReceiverRequest(message, to: receiver, delivery: delivery),
            let client = trustedHosts.client(for: request.address, bodyBytesMax: 1 << 16)
        else { return nil }
        return await Deadline.value(within: Self.answerSeconds) {
            // The cause of a missing answer does not matter: the message is tried again.
            guard
                let answer = try? await client.stream(
                    .post, request.target, fields: request.fields, body: request.body)
            else { return nil }
            do {
                for try await part in answer {
                    if case .head(let status, _) = part { return status }
                }
            } catch { return nil }
            return nil
        }
    }
}
