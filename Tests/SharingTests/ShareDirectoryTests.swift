import SensorModel
import Testing

@testable import Sharing

@Suite struct ShareDirectoryTests {
    static let now = Fixture.time(1000)

    /// States at 1000 of a share made at 0.
    enum State: CaseIterable {
        case active, expiresLater, expired, expiresNow, revoked, revokedLater, revokedAndExpired
        case unknown

        var share: Share? {
            switch self {
            case .active: Fixture.share()
            case .expiresLater: Fixture.share(expiresAt: Fixture.time(1001))
            case .expired: Fixture.share(expiresAt: Fixture.time(999))
            case .expiresNow: Fixture.share(expiresAt: Fixture.time(1000))
            case .revoked: Fixture.share(revokedAt: Fixture.time(10))
            case .revokedLater: Fixture.share(revokedAt: Fixture.time(1001))
            case .revokedAndExpired:
                Fixture.share(expiresAt: Fixture.time(5), revokedAt: Fixture.time(10))
            case .unknown: nil
            }
        }

        var standing: ShareDirectory.Standing {
            switch self {
            case .active, .expiresLater, .revokedLater: .active
            case .expired, .expiresNow: .expired
            case .revoked, .revokedAndExpired: .revoked
            case .unknown: .unknown
            }
        }
    }

    /// Credentials presented by a client: the right ID, another's, an old one, a name, nothing.
    enum Asker: CaseIterable {
        case viewer, otherShare, rotatedAway, nameOnly, nobody

        var hash: SecretHash {
            switch self {
            case .viewer: Fixture.hash(1)
            case .otherShare: Fixture.hash(2)
            case .rotatedAway: Fixture.hash(77)
            case .nameOnly: .zero
            case .nobody: Fixture.hash(200)
            }
        }
    }

    @Test(arguments: State.allCases, Asker.allCases)
    func `Only the right ID of an active share finds it`(state: State, asker: Asker) {
        var directory = ShareDirectory([Fixture.share(2, expiresAt: Fixture.time(1))])
        if var share = state.share {
            let hash = share.idHash
            share.idHash = Fixture.hash(77)
            directory.put(share)
            share.idHash = hash
            directory.put(share)
        }
        let found = directory.find(asker.hash, at: Self.now)
        let expected = asker == .viewer && state.standing == .active
        #expect((found?.key == ShareKey(rawValue: 1)) == expected)
        #expect((found == nil) == !expected)
        #expect(directory.standing(of: ShareKey(rawValue: 1), at: Self.now) == state.standing)
    }

    @Test(arguments: State.allCases, State.allCases)
    func `A group shows its active members, whatever the others are`(one: State, group: State) {
        var directory = ShareDirectory()
        if let share = one.share { directory.put(share) }
        directory.put(Fixture.share(2))
        guard var share = group.share else { return }
        share.key = ShareKey(rawValue: 3)
        share.name = "group"
        share.idHash = Fixture.hash(3)
        share.target = .group([ShareKey(rawValue: 1), ShareKey(rawValue: 2)])
        directory.put(share)
        guard let found = directory.find(Fixture.hash(3), at: Self.now) else {
            #expect(group.standing != .active)
            return
        }
        #expect(group.standing == .active)
        let shown = directory.feeds(of: found, at: Self.now).map(\.key.rawValue)
        #expect(shown == (one.standing == .active ? [1, 2] : [2]))
    }

    @Test func `Names are found in any case, and one that is gone is free`() {
        var directory = ShareDirectory([Fixture.share()])
        #expect(directory.named("SHARE 1", of: DeviceID(rawValue: 1))?.key == ShareKey(rawValue: 1))
        directory.remove(ShareKey(rawValue: 1))
        #expect(directory.named("share 1").isEmpty)
        #expect(directory.count == 0 && directory.shares(of: DeviceID(rawValue: 1)).isEmpty)
    }

    @Test func `Expiry is told once, in time`() {
        let directory = ShareDirectory([
            Fixture.share(1, expiresAt: Fixture.time(50)),
            Fixture.share(2, expiresAt: Fixture.time(70)),
            Fixture.share(3, expiresAt: Fixture.time(60), revokedAt: Fixture.time(1)),
            Fixture.share(4),
        ])
        #expect(directory.nextExpiry(after: Fixture.time(0)) == Fixture.time(50))
        #expect(directory.nextExpiry(after: Fixture.time(50)) == Fixture.time(70))
        #expect(directory.nextExpiry(after: Fixture.time(70)) == nil)
        #expect(
            directory.expired(after: Fixture.time(49), through: Fixture.time(50))
                == [ShareKey(rawValue: 1)])
        #expect(directory.expired(after: Fixture.time(50), through: Fixture.time(69)).isEmpty)
    }

    @Test func `Expiries are those of the shares that there are, whatever was changed`() {
        var generator = SeededGenerator(seed: 7)
        var directory = ShareDirectory()
        for _ in 0..<2000 {
            let key = UInt32.random(in: 1...40, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: directory.remove(ShareKey(rawValue: key))
            case 1: directory.put(Fixture.share(key, revokedAt: Fixture.time(1)))
            case 2: directory.put(Fixture.share(key))
            default:
                let expiry = Fixture.time(Double.random(in: 0...20, using: &generator).rounded())
                directory.put(Fixture.share(key, expiresAt: expiry))
            }
            let from = Fixture.time(Double.random(in: 0...20, using: &generator).rounded())
            let until = from.advanced(bySeconds: 3)
            let valid = directory.all.filter { $0.revokedAt == nil }
            let expiries = valid.compactMap(\.expiresAt)
            #expect(directory.nextExpiry(after: from) == expiries.filter { $0 > from }.min())
            #expect(
                Set(directory.expired(after: from, through: until))
                    == Set(
                        valid.filter { $0.expiresAt.map { from < $0 && $0 <= until } ?? false }
                            .map(\.key)))
        }
    }

    static let refused: [(@Sendable (inout Share) -> Void, ShareError)] = [
        ({ $0.name = "Share 2" }, .nameTaken("Share 2")),
        ({ $0.name = "" }, .nameInvalid("")),
        ({ $0.name = "a/b" }, .nameInvalid("a/b")),
        ({ $0.name = "-x" }, .nameInvalid("-x")),
        ({ $0.name = "a\nb" }, .nameInvalid("a\nb")),
        // Invisible characters: a tag, a variation selector, a filler.
        ({ $0.name = "a\u{E0041}b" }, .nameInvalid("a\u{E0041}b")),
        ({ $0.name = "a\u{FE0F}b" }, .nameInvalid("a\u{FE0F}b")),
        ({ $0.name = "a\u{3164}b" }, .nameInvalid("a\u{3164}b")),
        ({ $0.delaySeconds = -1 }, .delayOutOfRange(seconds: -1)),
        ({ $0.delaySeconds = 86_401 }, .delayOutOfRange(seconds: 86_401)),
        ({ $0.maxViewers = 0 }, .maxViewersOutOfRange(0)),
        ({ $0.expiresAt = now }, .alreadyExpired),
        ({ $0.scope = [] }, .scopeEmpty),
        ({ $0.target = .group([ShareKey(rawValue: 2)]) }, .groupSize(1)),
        (
            { $0.target = .group([ShareKey(rawValue: 2), ShareKey(rawValue: 2)]) }, .groupSize(2)
        ),
        (
            { $0.target = .group((1...51).map { ShareKey(rawValue: $0) }) }, .groupSize(51)
        ),
        (
            { $0.target = .group([ShareKey(rawValue: 2), ShareKey(rawValue: 99)]) },
            .groupMemberUnknown(ShareKey(rawValue: 99))
        ),
        (
            { $0.target = .group([ShareKey(rawValue: 2), ShareKey(rawValue: 3)]) },
            .groupMemberUnfit(name: "share 3")
        ),
        (
            { $0.target = .group([ShareKey(rawValue: 2), ShareKey(rawValue: 4)]) },
            .groupDelaysDiffer
        ),
    ]

    @Test(arguments: refused.indices)
    func `A share that breaks a rule is refused with it`(index: Int) {
        let directory = ShareDirectory([
            Fixture.share(2), Fixture.share(3, revokedAt: Fixture.start),
            Fixture.share(4, delaySeconds: 300),
        ])
        var share = Fixture.share(10)
        #expect(throws: Never.self) { try directory.check(share, at: Self.now) }
        Self.refused[index].0(&share)
        #expect(throws: Self.refused[index].1) { try directory.check(share, at: Self.now) }
        #expect(!Self.refused[index].1.description.isEmpty)
    }

    @Test func `Viewers are counted, and no more admitted than may watch`() {
        var counts = ViewerCounts(perShareMax: 3)
        var share = Fixture.share()
        share.maxViewers = 2
        #expect((0..<3).map { _ in counts.admit(to: share) } == [true, true, false])
        counts.left(share.key)
        #expect(counts.watching(share.key) == 1 && counts.watchedEver(share.key) == 2)
        #expect(counts.admit(to: share) == true)
        share.maxViewers = 99
        #expect((0..<2).map { _ in counts.admit(to: share) } == [true, false])
        for _ in 0..<5 { counts.left(share.key) }
        #expect(counts.watching(share.key) == 0 && counts.watchedEver(share.key) == 4)
    }

    @Test func `Zones hold for all shares of a device one of which shows positions`() throws {
        let numbers = Fixture.share(1, scope: [.metrics])
        let other = Fixture.share(2, device: 2, scope: [.metrics])
        var track = Fixture.share(3, scope: [.location])
        var directory = ShareDirectory([numbers, other])
        func obeys() -> [Bool?] {
            [1, 2, 3].map { directory[ShareKey(rawValue: $0)]?.hidesPlaces }
        }
        #expect(obeys() == [false, false, nil])
        #expect(directory.put(track).map(\.key) == [track.key, numbers.key])
        #expect(obeys() == [true, false, true])
        track.expiresAt = Fixture.time(5)
        #expect(directory.put(track).map(\.key) == [track.key])
        #expect(obeys() == [true, false, true])
        track.revokedAt = Fixture.time(10)
        #expect(directory.put(track).map(\.key) == [track.key, numbers.key])
        #expect(obeys() == [false, false, true])
        track.revokedAt = nil
        directory.put(track)
        #expect(directory.remove(track.key).map(\.key) == [numbers.key])
        #expect(obeys() == [false, false, nil])
    }
}
