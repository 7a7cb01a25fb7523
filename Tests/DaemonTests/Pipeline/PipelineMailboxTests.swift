import Dispatch
import Ring
import SensorModel
import Sharing
import Synchronization
import Testing

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct PipelineMailboxTests {
    private static let viewer = SubscriberID(rawValue: 7)

    private final class Noted: Sendable {
        let words = Mutex<[String]>([])

        func note(_ word: String) { words.withLock { $0.append(word) } }

        func take() -> [String] {
            words.withLock { words in
                defer { words = [] }
                return words
            }
        }
    }

    @Test func `Work for viewers comes behind all other, a part in each turn`() async throws {
        try await RunningDaemon.run { running in
            let mailbox = PipelineMailbox(eventCount: EventCount())
            let noted = Noted()
            for number in 1...3 { mailbox.postForViewer { _ in noted.note("viewer \(number)") } }
            mailbox.post { _ in noted.note("zone") }
            func turn(_ hasTime: Bool) async -> [String] {
                await running.daemon.pipeline.mailbox.ask { core in
                    _ = mailbox.run(on: core, while: { hasTime })
                }
                return noted.take()
            }
            #expect(await turn(false) == ["zone", "viewer 1"])
            mailbox.post { _ in noted.note("revocation") }
            #expect(!mailbox.isEmpty)
            #expect(await turn(true) == ["revocation", "viewer 2", "viewer 3"])
            #expect(mailbox.isEmpty)
        }
    }

    /// A zone confirmed during the viewers' turn applies to the next viewer in that turn.
    @Test func `What is posted while viewers have their turn comes before the next of them`()
        async throws
    {
        try await RunningDaemon.run { running in
            let mailbox = PipelineMailbox(eventCount: EventCount())
            let noted = Noted()
            mailbox.postForViewer { _ in
                noted.note("viewer 1")
                mailbox.post { _ in noted.note("zone") }
                mailbox.postForViewer { _ in noted.note("viewer 2") }
            }
            await running.daemon.pipeline.mailbox.ask { core in
                _ = mailbox.run(on: core, while: { true })
            }
            #expect(noted.take() == ["viewer 1", "zone", "viewer 2"])
        }
    }

    @Test func `An opening that waits is dropped with what follows it`() async throws {
        try await RunningDaemon.run { running in
            let mailbox = PipelineMailbox(eventCount: EventCount())
            let noted = Noted()
            mailbox.postForViewer(Self.viewer) { _ in noted.note("opened") }
            #expect(mailbox.postAfterOpening(of: Self.viewer) { _ in noted.note("sought") })
            let dropped = (0..<2).map { _ in mailbox.dropOpening(of: Self.viewer) }
            #expect(dropped == [true, false])
            #expect(mailbox.isEmpty)
            mailbox.postForViewer(Self.viewer) { _ in noted.note("opened") }
            #expect(mailbox.postAfterOpening(of: Self.viewer) { _ in noted.note("sought") })
            await running.daemon.pipeline.mailbox.ask { core in
                _ = mailbox.run(on: core, while: { false })
            }
            #expect(noted.take() == ["opened", "sought"])
            #expect(!mailbox.postAfterOpening(of: Self.viewer) { _ in })
        }
    }

    @Test func `A brief opening runs where it was posted, but only alone`() async throws {
        try await RunningDaemon.run { running in
            let noted = Noted()
            let mailbox = PipelineMailbox(
                eventCount: EventCount(),
                openHere: {
                    noted.note("here")
                    return true
                })
            mailbox.postForViewer(Self.viewer, isBrief: true) { _ in noted.note("opened") }
            let work = mailbox.takeOnlyViewing() ?? []
            await running.daemon.pipeline.mailbox.ask { core in
                for task in work { task(core) }
            }
            #expect(noted.take() == ["here", "opened"])
            mailbox.postForViewer { _ in }
            mailbox.post { _ in noted.note("zone") }
            #expect(mailbox.takeOnlyViewing()?.count == nil)
            await running.daemon.pipeline.mailbox.ask { core in
                _ = mailbox.run(on: core, while: { true })
            }
            #expect(noted.take() == ["zone"])
            for _ in 0..<2 { mailbox.postForViewer { _ in } }
            #expect(mailbox.takeOnlyViewing()?.count == nil)
        }
    }

    /// A client may ask and disconnect while the pipeline is busy.
    @Test func `A reader who leaves leaves no question behind`() async throws {
        try await RunningDaemon.run { running in
            let mailbox = PipelineMailbox(eventCount: EventCount())
            let questions = (0..<100).map { _ in
                Task { await mailbox.askForReader { _ in 1 } }
            }
            while mailbox.isEmpty { await Task.yield() }
            for question in questions { question.cancel() }
            for question in questions { #expect(await question.value == nil) }
            #expect(mailbox.isEmpty)
            let question = Task { await mailbox.askForReader { _ in 2 } }
            while mailbox.isEmpty { await Task.yield() }
            await running.daemon.pipeline.mailbox.ask { core in
                _ = mailbox.run(on: core, while: { true })
            }
            #expect(await question.value == 2)
        }
    }
}
