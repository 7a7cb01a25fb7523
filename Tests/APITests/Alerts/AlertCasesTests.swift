import SensorModel
import Testing

@testable import API

@Suite struct AlertCasesTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let device = DeviceID(rawValue: 7)

    private static func at(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    private static func key(_ topic: AlertTopic, _ session: UInt64 = 1) -> AlertCases.Key {
        AlertCases.Key(session: SessionID(high: session, low: 1), topic: topic)
    }

    private static func raise(
        _ cases: inout AlertCases, _ key: AlertCases.Key, of device: DeviceID = device,
        at seconds: Double = 0
    ) -> AlertCases.Entry? {
        var generator = SystemRandomNumberGenerator()
        return cases.raise(
            key, of: device, since: at(seconds), at: at(seconds), using: &generator)
    }

    /// Seconds at which receivers are told, asked each second.
    private static func tellings(_ cases: inout AlertCases, until end: Int) -> [Int] {
        (0...end).filter { cases.takeDue(at: at(Double($0)), where: { _ in true }) != nil }
    }

    @Test func `It is told at once, and again ever later, for some hours`() {
        var cases = AlertCases()
        #expect(Self.raise(&cases, Self.key(.sos)) != nil)
        #expect(Self.raise(&cases, Self.key(.sos), at: 1) == nil, "known already")
        let told = Self.tellings(&cases, until: 40_000)
        #expect(told.prefix(6) == [0, 60, 180, 420, 900, 1800])
        #expect(told.count == 12 && told[11] == 21_600)
    }

    @Test func `Who confirms ends the telling, and is named`() throws {
        var cases = AlertCases()
        var generator = SystemRandomNumberGenerator()
        let tokens = (0..<3).map { _ in ShareID(using: &generator) }
        let entry = try #require(Self.raise(&cases, Self.key(.fall)))
        cases.grant(tokens[0], of: entry.key, to: "mum")
        cases.grant(tokens[1], of: entry.key, to: "dad")
        let first = cases.takeDue(at: Self.start, where: { _ in true })
        #expect(first != nil && cases.notice(for: tokens[1]) != nil)
        let confirmed = cases.confirm(tokens[0])
        #expect(confirmed?.entry.confirmedBy == "mum" && confirmed?.isNew == true)
        let second = cases.confirm(tokens[1])
        #expect(second?.entry.confirmedBy == "mum" && second?.isNew == false)
        let stranger = cases.confirm(tokens[2])
        #expect(stranger == nil)
        #expect(Self.tellings(&cases, until: 7200).isEmpty)
        #expect(cases.isOpen(Self.device), "its link stays until it is over")
        let ended = cases.end(entry.key, at: Self.at(7300))
        #expect(ended != nil && !cases.isOpen(Self.device))
    }

    @Test func `The runner's stop ends what is no call for help`() {
        var cases = AlertCases()
        for topic in AlertTopic.allCases { _ = Self.raise(&cases, Self.key(topic)) }
        _ = Self.raise(&cases, Self.key(.silent, 2))
        let ended = cases.endRun(SessionID(high: 1, low: 1), at: Self.at(5))
        #expect(ended.map(\.key.topic).allSatisfy { $0 != .sos && $0 != .fall })
        #expect(ended.count == AlertTopic.allCases.count - 2)
        #expect(ended.allSatisfy { $0.key.session.high == 1 })
    }

    @Test func `The same is told again only a quarter of an hour after its end`() throws {
        var cases = AlertCases()
        let entry = try #require(Self.raise(&cases, Self.key(.noMovement)))
        #expect(Self.tellings(&cases, until: 0) == [0])
        _ = cases.end(entry.key, at: Self.at(100))
        _ = Self.raise(&cases, entry.key, at: 200)
        #expect(Self.tellings(&cases, until: 1200) == [1000, 1060, 1180])
        // What is over by then is not told at all.
        _ = cases.end(entry.key, at: Self.at(1300))
        _ = Self.raise(&cases, entry.key, at: 1400)
        let ended = cases.end(entry.key, at: Self.at(1500))
        #expect(ended?.tellings == 0)
        #expect(Self.tellings(&cases, until: 4000).isEmpty)
    }

    @Test func `What gives way or grows old is named, to be forgotten elsewhere`() throws {
        var cases = AlertCases()
        for number in 0..<9 {
            let raised = Self.raise(&cases, Self.key(.silent, UInt64(number)))
            #expect(raised != nil)
        }
        #expect(cases.takeRemoved().count == 1 && cases.takeRemoved().isEmpty)
        _ = cases.takeDue(at: Self.at(90_000), where: { _ in true })
        #expect(cases.takeRemoved().count == 8)
    }

    @Test func `A confirmed alert is confirmed after a restart, too`() throws {
        var cases = AlertCases()
        var generator = SystemRandomNumberGenerator()
        for confirmedBy in ["mum", nil] {
            cases.restore(
                RestoredAlert(
                    key: Self.key(.sos, confirmedBy == nil ? 2 : 1), device: Self.device,
                    since: Self.start, raisedAt: Self.start, overdue: nil,
                    secret: ShareID(using: &generator), confirmedBy: confirmedBy), at: Self.at(9))
        }
        let told = cases.takeDue(at: Self.at(9), where: { _ in true })
        #expect(told?.key.session.high == 2)
        #expect(Self.tellings(&cases, until: 60) == [] && cases.isOpen(Self.device))
        let ended = cases.end(Self.key(.sos, 1), at: Self.at(70))
        #expect(ended?.confirmedBy == "mum" && ended?.tellings == 1)
    }

    @Test func `A second call for help is told, however soon after the first`() throws {
        var cases = AlertCases()
        let entry = try #require(Self.raise(&cases, Self.key(.sos)))
        let known = Self.raise(&cases, Self.key(.sos), at: 5)
        #expect(known == nil)
        _ = cases.end(entry.key, at: Self.at(10))
        let second = Self.raise(&cases, Self.key(.sos), at: 20)
        #expect(second != nil && second?.secret != entry.secret)
        #expect(!cases.isWanted(entry, in: .over))
    }

    @Test func `A day ends it`() throws {
        var cases = AlertCases()
        let entry = try #require(Self.raise(&cases, Self.key(.sos)))
        let late = cases.takeDue(at: Self.at(86_401), where: { _ in true })
        #expect(late == nil && !cases.isOpen(Self.device) && !cases.isWanted(entry, in: .over))
    }

    @Test func `A call for help finds room, whatever others have open`() throws {
        var cases = AlertCases()
        func raise(_ topic: AlertTopic, _ count: UInt64, of device: UInt32) -> Int {
            (0..<count).count {
                let key = Self.key(topic, UInt64(device) << 32 | $0)
                return Self.raise(&cases, key, of: DeviceID(rawValue: device)) != nil
            }
        }
        // A device has a bound of its own: its less important ones give way.
        #expect(raise(.silent, 100, of: 1) == 100)
        #expect(raise(.sos, 8, of: 1) == 8)
        #expect(raise(.silent, 1, of: 1) == 0, "its calls for help do not give way")
        for device in 2...40 { #expect(raise(.sos, 8, of: UInt32(device)) == 8) }
        #expect(raise(.sos, 1, of: 50) == 1)
        #expect(raise(.offCourse, 1, of: 51) == 0)
        let told = (0..<500).count { _ in
            cases.takeDue(at: Self.at(1), where: { _ in true }) != nil
        }
        #expect(told == AlertCases.countMax)
    }

    @Test func `Calls for help are told first`() {
        var cases = AlertCases()
        _ = Self.raise(&cases, Self.key(.offCourse))
        _ = Self.raise(&cases, Self.key(.fall), at: 1)
        let first = cases.takeDue(at: Self.at(2), where: { _ in true })
        #expect(first?.key.topic == .fall)
        let busy = cases.takeDue(at: Self.at(2), where: { $0 != Self.device })
        #expect(busy == nil)
    }

    @Test func `Erased sessions leave nothing`() throws {
        var cases = AlertCases()
        var generator = SystemRandomNumberGenerator()
        let token = ShareID(using: &generator)
        let entry = try #require(Self.raise(&cases, Self.key(.sos)))
        cases.grant(token, of: entry.key, to: "mum")
        cases.forget([entry.key.session])
        #expect(cases.notice(for: token) == nil && !cases.isWanted(entry, in: .over))
        let due = cases.takeDue(at: Self.at(1), where: { _ in true })
        #expect(due == nil)
    }
}
