import Foundation
import SensorModel
import Testing

@testable import Registry

@Suite struct DeviceTests {
    @Test func `A device survives a restart as it was written`() throws {
        let scratch = try Scratch()
        let added = try scratch.addDevice("Anna's watch")
        #expect(added.sealedProofKey == [1, 2, 1] && added.privacy.salt == .max - 5)
        try scratch.reopen()
        #expect(try scratch.store.devices() == [added])
        #expect(try scratch.store.device(named: "ANNA'S WATCH") == added)
    }

    @Test(arguments: ["watch", "WATCH", "Watch"])
    func `A name is taken in any case`(name: String) throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        #expect(throws: RegistryError.nameTaken(name)) {
            try scratch.addDevice(name, hash: 2)
        }
        #expect(try scratch.store.devices().count == 1)
    }

    @Test func `Rotation, revocation and what was seen last are kept`() throws {
        let scratch = try Scratch()
        let added = try scratch.addDevice("watch")
        let id = added.id
        let later = Scratch.now.advanced(bySeconds: 5)
        for seconds in [0.0, 5] {
            let revocation = Revocation(of: added, at: later.advanced(bySeconds: seconds))
            #expect(try scratch.store.revoke(revocation) == .stored)
        }
        try scratch.store.setLastSeen([id: later, DeviceID(rawValue: 99): later])
        var device = try scratch.store.device(named: "watch")
        #expect(device.revokedAt == later && device.lastSeenAt == later && device.isRevoked)
        try scratch.store.rotateDevice(
            id, tokenHash: Scratch.hash(8), sealedProofKey: [4])
        device = try scratch.store.device(named: "watch")
        #expect(device.revokedAt == nil && device.sealedProofKey == [4])
        #expect(device.tokenHash == Scratch.hash(8))
    }

    static let unknown: [@Sendable (RegistryStore) throws -> Void] = [
        {
            _ = try $0.revoke(
                Revocation(
                    target: .device(DeviceID(rawValue: 9)), hash: .zero, time: Scratch.now))
        },
        {
            try $0.rotateDevice(
                DeviceID(rawValue: 9), tokenHash: .zero, sealedProofKey: [])
        },
        { try $0.setProfile(RunnerProfile(), of: DeviceID(rawValue: 9)) },
        { try $0.deleteDevice(DeviceID(rawValue: 9)) },
        { try $0.setPrivacy(.none, of: DeviceID(rawValue: 9)) },
        {
            try $0.setCourse(
                StoredCourse(name: "", gpx: [], changedAt: Scratch.now), of: DeviceID(rawValue: 9))
        },
    ]

    @Test(arguments: unknown.indices)
    func `What names no device says so`(index: Int) throws {
        let scratch = try Scratch()
        #expect(throws: RegistryError.unknownDevice("number 9")) {
            try Self.unknown[index](scratch.store)
        }
    }

    static let profiles: [RunnerProfile] = {
        var full = RunnerProfile()
        full.placement = .ankle
        full.maxHeartRate = 201
        full.restingHeartRate = 44
        full.thresholdHeartRate = 171
        full.weightKg = 61.5
        full.sex = .female
        full.timeZone = "Europe/Vienna"
        full.targetZone = 2
        full.targetPaceSecondsPerKm = 290.5
        full.raceKm = 42.195
        full.treadmill = true
        full.autoPause = .reference
        full.strideCalibration = StrideCalibration(slope: 0.01, intercept: -0.2)
        full.safetyTimerSeconds = 7200
        full.intervals = IntervalPlan(text: "10:00, 3x(1km, 90s), 12.5s, 5:00")
        let schemes: [ZoneScheme] = [
            .percentOfMaximum, .karvonen, .friel, .coggan, .seiler,
            .custom(upperBounds: [120, 140, 155, 170]),
        ]
        return [RunnerProfile()]
            + schemes.map { scheme in
                var profile = full
                profile.zones = scheme
                return profile
            }
    }()

    @Test func `Zones of earlier days read back as they were set`() throws {
        let scratch = try Scratch()
        let id = try scratch.addDevice("watch").id
        var history = ZoneHistory()
        for (index, profile) in Self.profiles.dropLast().enumerated() {
            history.change(
                from: profile.zoneSettings, to: Self.profiles[index + 1].zoneSettings,
                at: Timestamp(microseconds: Int64(index) * 1_000_000_000))
        }
        try #require(history.past.count == Self.profiles.count - 1)
        try scratch.store.setProfile(RunnerProfile(), history, of: id)
        try scratch.reopen()
        let device = try scratch.store.device(named: "watch")
        #expect(device.zoneHistory == history)
        #expect(
            device.profile(at: Timestamp(microseconds: 1)).zoneSettings
                == history.settings(
                    at: Timestamp(microseconds: 1), current: RunnerProfile().zoneSettings))
        #expect(
            device.profile(at: Timestamp(microseconds: .max)).zoneSettings
                == RunnerProfile().zoneSettings)
    }

    @Test(arguments: profiles)
    func `A profile reads back as it was set`(profile: RunnerProfile) throws {
        let scratch = try Scratch()
        let id = try scratch.addDevice("watch").id
        try scratch.store.setProfile(profile, of: id)
        try scratch.reopen()
        #expect(try scratch.store.device(named: "watch").profile == profile)
    }

    @Test func `Zones and trims belong to their device, and are bounded`() throws {
        let scratch = try Scratch()
        let id = try scratch.addDevice("watch").id
        func zone(_ name: String) -> PrivacyZone {
            PrivacyZone(
                name: name, latitude: 48.2, longitude: -11.6, radiusMeters: 200)
        }
        var wanted = try scratch.store.device(named: "watch").privacy
        wanted.zones = (0..<PrivacySettings.zonesMax).map { zone("zone \($0)") }
        try scratch.store.setPrivacy(wanted, of: id)
        var tooMany = wanted
        tooMany.zones.append(zone("one more"))
        #expect(throws: RegistryError.zonesFull(32)) {
            try scratch.store.setPrivacy(tooMany, of: id)
        }
        wanted.zones.removeAll { ["zone 3", "zone 4"].contains($0.name) }
        wanted.zones.append(zone("ZONE 3"))
        wanted.trimStartMeters = 150
        wanted.trimFinishMeters = 250
        try scratch.store.setPrivacy(wanted, of: id)
        try scratch.reopen()
        let privacy = try scratch.store.device(named: "watch").privacy
        #expect(privacy.zones.count == 31)
        #expect(Set(privacy.zones) == Set(wanted.zones))
        #expect(privacy.trimStartMeters == 150 && privacy.trimFinishMeters == 250)
        #expect(privacy.salt == wanted.salt)
    }

    @Test func `A deleted device leaves nothing, in the files neither`() throws {
        let scratch = try Scratch()
        let id = try scratch.addDevice("UNMISTAKABLE-watch").id
        try scratch.addDevice("other", hash: 2)
        let share = try scratch.addShare("UNMISTAKABLE-share", hash: 3)
        let kept = try scratch.addShare(
            "kept", hash: 4, target: .device(DeviceID(rawValue: 2)))
        try scratch.addShare("half", hash: 5, target: .group([share.key, kept.key]))
        try scratch.addShare("gone", hash: 6, target: .group([share.key]))
        let session = SessionID(high: 1, low: 2)
        try scratch.store.putResults([
            SessionResult(
                session: session, device: id, epoch: 1, lastOffset: RecordOffset(rawValue: 9),
                metrics: nil)
        ])
        try scratch.store.setCourse(
            StoredCourse(name: "UNMISTAKABLE-course", gpx: [1], changedAt: Scratch.now), of: id)
        try scratch.store.addProof(
            UsedProof(proof: Scratch.hash(9), device: id, sentAt: Scratch.now),
            forgottenBefore: Scratch.now)
        try scratch.store.deleteDevice(id)
        let snapshot = try scratch.store.snapshot()
        #expect(snapshot.devices.map(\.name) == ["other"])
        #expect(snapshot.shares.map(\.name) == ["kept", "half"])
        #expect(snapshot.shares[1].members == [kept.key])
        #expect(try scratch.store.results(of: [session]).isEmpty && snapshot.usedProofs.isEmpty)
        #expect(snapshot.courses.isEmpty)
        for file in try FileManager.default.contentsOfDirectory(atPath: scratch.folder) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.folder + "/" + file))
            #expect(bytes.range(of: Data("UNMISTAKABLE".utf8)) == nil, "\(file)")
        }
        #expect(try scratch.addDevice("new", hash: 7).id == DeviceID(rawValue: 3))
    }
}
