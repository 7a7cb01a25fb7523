import Registry
import SensorModel
import Synchronization
import Testing
import Transport

@testable import API
@testable import Daemon
@testable import Runtime

/// Receivers of alerts, of each kind, that record what they are told.
struct AlertReceiver {
    private let server: ReceivingServer
    private let url: String

    /// Runs `body` with receivers that are told until its end.
    static func run(_ body: (AlertReceiver) async throws -> Void) async throws {
        let server = ReceivingServer()
        try await server.run { url in try await body(AlertReceiver(server: server, url: url)) }
    }

    /// Lets a daemon connect to the receivers.
    func trust(_ configuration: inout Configuration) {
        configuration.alerts.trustedHosts = [ReceivingServer.place(of: url)]
    }

    /// Makes receivers see what a share shows.
    func register(for share: Share, _ running: RunningDaemon) throws {
        let device = try #require(share.device)
        let accounts = running.daemon.accounts
        for kind in Receiver.Kind.allCases {
            let receiver = Receiver(
                name: kind.rawValue, kind: kind, address: url, silentMinutes: 3, share: share.key)
            try accounts.changing { try accounts.putReceiver(receiver, of: device) }
        }
    }

    /// Raises alerts of all topics and ends them.
    ///
    /// - Parameters:
    ///   - name: Public name of a share with `@`: an alert makes the share's link a new one.
    ///   - session: Session of the alerts.
    ///   - running: The daemon.
    ///   - start: Time since which all alerts are but the calls for help, which say since when.
    /// - Returns: What the share's receivers were told; nothing if it has none.
    /// - Throws: ``RegistryError``
    func messages(
        to name: String, of session: SessionID, _ running: RunningDaemon, from start: Double
    ) async throws -> [String] {
        let accounts = running.daemon.accounts
        let publicName = PublicName(String(name.dropFirst()))
        let share = accounts.shares.first { $0.publicName != nil && $0.publicName == publicName }
        guard name.hasPrefix("@"), let share, let device = share.device,
            try accounts.receivers(of: device).contains(where: { $0.share == share.key })
        else { return [] }
        let center = running.daemon.alerts
        // Without it an alert that was told a while ago would wait.
        center.erase([session])
        let before = server.requests.count
        let keys = AlertTopic.allCases.map { AlertCases.Key(session: session, topic: $0) }
        let early = try #require(Timestamp(secondsSince1970: start))
        for key in keys {
            let since = key.topic.isCallForHelp ? WallClock.now() : early
            center.raise(key, of: device, since: since)
        }
        let areTold = try await running.eventually {
            var (cases, telling) = center.state.withLock { ($0.cases, $0.telling) }
            let due = cases.takeDue(at: WallClock.now(), where: { _ in true })
            return due == nil && telling.isEmpty
        }
        center.end(keys)
        let areOver = try await running.eventually {
            center.state.withLock { $0.news.isEmpty && $0.telling.isEmpty }
        }
        let texts = server.requests[before...].map { String(decoding: $0.body, as: UTF8.self) }
        // Each kind of receiver is told of each call for help, and of its end.
        #expect(areTold && areOver && texts.count >= 8)
        return texts
    }

    /// Places in the words of messages.
    static func places(in text: String) -> [(Double, Double)] {
        text.matches(of: #/(-?[0-9]+\.[0-9]{5}), (-?[0-9]+\.[0-9]{5})/#).compactMap {
            guard let latitude = Double($0.1), let longitude = Double($0.2) else { return nil }
            return (latitude, longitude)
        }
    }
}
