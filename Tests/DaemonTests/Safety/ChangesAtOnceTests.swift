import Client
import Foundation
import Registry
import SensorModel
import Sharing
import Synchronization
import Testing
import WireFormat

@testable import API
@testable import Daemon
@testable import Runtime
@testable import Transport

/// Concurrent changes do not undo each other, and a client admitted by a revoked secret gets no
/// access.
@Suite(.serialized) struct ChangesAtOnceTests {
    private static let home = PrivacyZone(
        name: "home", latitude: 48, longitude: 11, radiusMeters: 200)

    private static func hide(_ device: Device, _ running: RunningDaemon) throws {
        _ = try running.daemon.administration.changePrivacy(of: device) { before in
            var after = before
            after.zones = [home]
            return after
        }
    }

    private static func trainHarder(_ device: Device, _ running: RunningDaemon) throws {
        try running.daemon.administration.changeProfile(of: device) { before in
            var after = before
            after.maxHeartRate = before.maxHeartRate + 1
            return after
        }
    }

    @Test func `A change begins with what holds then, not with what its request was admitted by`()
        async throws
    {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let (accounts, administration) = (
                running.daemon.accounts, running.daemon.administration
            )
            let admitted = try #require(accounts.device(named: "ann"))
            try Self.hide(admitted, running)
            try Self.trainHarder(admitted, running)
            try Self.trainHarder(admitted, running)
            let changed = try #require(accounts.device(named: "ann"))
            #expect(changed.privacy.zones == [Self.home])
            #expect(changed.profile.maxHeartRate == admitted.profile.maxHeartRate + 2)
            #expect(accounts.device(changed.id)?.tokenHash == admitted.tokenHash)

            try administration.revokeDevice(named: "ann")
            let refusal = AdministrationError.changedMeanwhile("ann")
            #expect(throws: refusal) { try Self.hide(admitted, running) }
            #expect(throws: refusal) { try Self.trainHarder(admitted, running) }
            #expect(throws: refusal) { try administration.setCourse(nil, nil, of: admitted) }
            #expect(throws: refusal) {
                try administration.createShare(
                    ShareRequest(), of: .device(admitted.id), stem: "s", by: admitted)
            }
            #expect(accounts.device(named: "ann")?.isRevoked == true)

            _ = try administration.rotateDevice(named: "ann")
            #expect(throws: refusal) { try Self.trainHarder(admitted, running) }
            #expect(accounts.device(named: "ann")?.tokenHash != admitted.tokenHash)
        }
    }

    @Test func `Whatever a device changes meanwhile, a revocation and a new token hold`()
        async throws
    {
        try await RunningDaemon.run { running in
            let (accounts, administration) = (
                running.daemon.accounts, running.daemon.administration
            )
            for round in 0..<10 {
                let name = "ann\(round)"
                _ = try running.addDevice(name)
                let admitted = try #require(accounts.device(named: name))
                let over = Flag()
                await withTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask {
                            while !over.isSet.load(ordering: .relaxed) {
                                // The change refuses access from this moment on.
                                try? Self.trainHarder(admitted, running)
                                await Task.yield()
                            }
                        }
                    }
                    group.addTask {
                        #expect(throws: Never.self) {
                            try Self.hide(admitted, running)
                            if round % 2 == 0 {
                                try administration.revokeDevice(named: name)
                            } else {
                                _ = try administration.rotateDevice(named: name)
                            }
                        }
                        over.isSet.store(true, ordering: .relaxed)
                    }
                }
                let changed = try #require(accounts.device(named: name))
                #expect(changed.privacy.zones == [Self.home])
                #expect(changed.isRevoked == (round % 2 == 0))
                #expect((changed.tokenHash == admitted.tokenHash) == (round % 2 == 0))
            }
        }
    }

    @Test func `A share that is revoked and rotated at once is over`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let (accounts, administration) = (
                running.daemon.accounts, running.daemon.administration
            )
            _ = try running.addShare(of: "ann") { $0.name = "s" }
            let found = try #require(accounts.shares.first)
            let rotated = try administration.rotateShare(found).share
            try administration.revokeShare(found)
            let revoked = try #require(accounts.shares.first)
            #expect(revoked.revokedAt != nil && revoked.idHash == rotated.idHash)
            #expect(throws: ShareError.isOver(name: "s")) { try administration.rotateShare(found) }
            #expect(accounts.shares.first == revoked)
        }
    }

    @Test func `A viewer admitted by an ID that was replaced meanwhile is let go`() async throws {
        try await RunningDaemon.run { running in
            let id = try running.addShare(of: try Self.added("ann", running))
            let (accounts, daemon) = (running.daemon.accounts, running.daemon)
            let found = try #require(accounts.shares.first)
            let service = ViewerService(
                accounts: accounts, reader: daemon.pipeline.reader,
                playbacks: daemon.pipeline.playbacks, clock: WallClock.now)
            let peer = try #require(PeerAddress(bytes: [127, 0, 0, 1]))
            let resolved = try service.resolve(share: id, peer: peer).get()
            let subscriber = SubscriberID(loop: 0, number: 1 << 40)
            let request = SubscriptionRequest(
                share: resolved, subscriber: subscriber, loop: 0, kind: .webSocket, speed: 1,
                peer: peer)
            service.subscribe(request)
            var isWatching = await daemon.pipeline.mailbox.askForReader {
                $0.subscribers[subscriber] != nil
            }
            #expect(isWatching == true)
            service.unsubscribe(subscriber, from: found.key)
            _ = try daemon.administration.rotateShare(found)
            service.subscribe(request)
            isWatching = await daemon.pipeline.mailbox.askForReader {
                $0.subscribers[subscriber] != nil
            }
            #expect(isWatching == false)
            #expect(accounts.viewerCounts(of: found.key).now == 0)
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private static func added(_ name: String, _ running: RunningDaemon) throws -> String {
        _ = try running.addDevice(name)
        return name
    }
}
