import Secrets
import SensorModel
import Synchronization
import Testing

@testable import Runtime

@Suite struct AdminSessionsTests {
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { instant.withLock { $0 } }

        func advance(_ seconds: Int) {
            instant.withLock { $0 = $0.advanced(by: .seconds(seconds)) }
        }
    }

    private let clock = Clock()
    private let sessions: AdminSessions

    init() {
        sessions = AdminSessions { [clock] in clock.now }
    }

    @Test func `A link opens one session, and is none itself`() throws {
        let link = sessions.addLink(opening: .seconds(3600))
        #expect(!sessions.isOpen(link))
        let session = try #require(sessions.open(link))
        #expect(session.duration == .seconds(3600))
        #expect(sessions.isOpen(session.token))
        for secret in [link, session.token] {
            let isOpened = sessions.open(secret) != nil
            #expect(!isOpened)
        }
    }

    @Test(arguments: [(599, true), (600, false)])
    func `A link is valid for ten minutes`(seconds: Int, isValid: Bool) {
        let link = sessions.addLink(opening: .seconds(3600))
        clock.advance(seconds)
        let isOpened = sessions.open(link) != nil
        #expect(isOpened == isValid)
    }

    @Test func `A session ends after its time, counted from its beginning`() throws {
        let link = sessions.addLink(opening: .seconds(60))
        clock.advance(500)
        let token = try #require(sessions.open(link)).token
        clock.advance(59)
        #expect(sessions.isOpen(token))
        clock.advance(1)
        #expect(!sessions.isOpen(token))
    }

    @Test func `One more than so many ends the oldest, of links and of sessions`() throws {
        let links = (0...AdminSessions.countMax).map { _ in
            sessions.addLink(opening: .seconds(60))
        }
        let isFirstOpened = sessions.open(links[0]) != nil
        #expect(!isFirstOpened)
        var tokens = try links.dropFirst().map { try #require(sessions.open($0)).token }
        tokens.append(try #require(sessions.open(sessions.addLink(opening: .seconds(60)))).token)
        #expect(tokens.map(sessions.isOpen) == [false, true, true, true, true])
    }

    @Test func `An ended session is over, and the others are not`() throws {
        let tokens = try (0..<2).map { _ in
            try #require(sessions.open(sessions.addLink(opening: .seconds(60)))).token
        }
        sessions.end(tokens[0])
        #expect(tokens.map(sessions.isOpen) == [false, true])
        let link = sessions.addLink(opening: .seconds(60))
        sessions.endAll()
        let isOpened = sessions.open(link) != nil
        #expect(!isOpened && !sessions.isOpen(tokens[1]))
    }

    @Test func `Of many who open a link at once one has it`() async {
        let link = sessions.addLink(opening: .seconds(60))
        let opened = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { [sessions] in sessions.open(link) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(opened == 1)
    }
}
