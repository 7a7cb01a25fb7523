import Foundation
import SensorModel
import Testing

@testable import Daemon
@testable import Runtime
import Transport

/// Messages to receivers beside the snapshot of their share.
extension OutletTests {
    @Test(
        arguments: [
            ([.heartRate, .metrics, .location], 0), (.location, 0), (.metrics, 0), (.heartRate, 0),
            ([.heartRate, .metrics, .location], 600),
        ] as [(Scope, Int)])
    func `A message shows what latest does, whatever the scope and the delay`(
        scope: Scope, delay: Int
    ) async throws {
        try await AlertReceiver.run { receiver in
            try await RunningDaemon.run(receiver.trust) { running in
                let token = try running.addDevice("ann")
                let id = try running.addShare(of: "ann") {
                    ($0.scope, $0.delaySeconds) = (scope, delay)
                    $0.publicName = PublicName("anna")
                }
                let accounts = running.daemon.accounts
                let share = try #require(accounts.shares(namedOrID: id).first)
                try receiver.register(for: share, running)
                let start = (WallClock.now().secondsSince1970 - 100).rounded(.down)
                try await Self.send(0..<100, of: start, to: running, token: token)
                let texts = try await receiver.messages(
                    to: "@anna", of: Self.session, running, from: start)
                let latest = try await running.ask(.get, "/v1/shares/@anna/latest").text
                let shows = delay == 0
                for text in texts {
                    for key in ["latitude", "longitude", "distanceMeters"] {
                        let shown = shows ? Array(Self.numbers(key, in: latest).prefix(1)) : []
                        let isWebhook = text.contains(#""event":"alert""#)
                        #expect(Self.numbers(key, in: text) == (isWebhook ? shown : []), "\(key)")
                    }
                    let places = AlertReceiver.places(in: text)
                    #expect(places.count == (shows && scope.contains(.location) ? 1 : 0))
                    #expect(text.contains("km so far") == (shows && scope.contains(.metrics)))
                    #expect(!text.contains("bpm"))
                }
                let topics = Set(texts.compactMap { $0.firstMatch(of: /"alert":"([A-Za-z]+)"/)?.1 })
                #expect(topics.contains("offCourse") == (shows && scope.contains(.location)))
                #expect(topics.contains("noMovement") == shows)
                #expect(topics.contains("sos") && topics.contains("fall"))
            }
        }
    }
}
