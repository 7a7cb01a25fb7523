import FaultyDisk
import Foundation
import SegmentLog
import SensorModel
import Sessions
import Synchronization
import Testing
import Transport

@testable import Runtime

/// Pipeline turns run by all threads that may run them, while other threads post work. `tools/race
/// --all` runs this under ThreadSanitizer.
@Suite struct PipelineRaceTests {
    /// State that only turns access, without a lock; ThreadSanitizer or wrong counts reveal two
    /// turns at once.
    private final class Guarded: @unchecked Sendable {
        private var isInside = false
        private(set) var overlaps = 0
        private(set) var runs: [Int]

        init(works: Int) { runs = [Int](repeating: 0, count: works) }

        func run(_ work: Int) {
            if isInside { overlaps += 1 }
            isInside = true
            runs[work] += 1
            isInside = false
        }
    }

    /// Work posted by threads, and its outcome.
    private final class Posting: Sendable {
        static let posters = 4
        static let works = 600

        let guarded = Guarded(works: posters * works)
        let accepted = Mutex<Set<Int>>([])
        private let mailbox: PipelineMailbox

        init(to mailbox: PipelineMailbox) { self.mailbox = mailbox }

        /// Posts from a separate thread and waits for every third item.
        func post(as poster: Int) {
            for number in 0..<Self.works {
                let work = poster * Self.works + number
                let isAccepted: Bool
                if number.isMultiple(of: 3) {
                    isAccepted = answer(work) == work
                } else {
                    isAccepted = mailbox.post { [guarded] _ in guarded.run(work) }
                }
                if isAccepted { accepted.withLock { _ = $0.insert(work) } }
            }
        }

        /// Like ``post(as:)``, for tasks.
        func ask(as poster: Int) async {
            for number in 0..<Self.works {
                let work = poster * Self.works + number
                let answer = await mailbox.ask { [guarded] _ in
                    guarded.run(work)
                    return work
                }
                if answer == work { accepted.withLock { _ = $0.insert(work) } }
            }
        }

        private func answer(_ work: Int) -> Int? {
            mailbox.answer { [guarded] _ in
                guarded.run(work)
                return work
            }
        }
    }

    /// Runs `body` on threads that may block, unlike tasks.
    private static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread {
                            body(number)
                            continuation.resume()
                        }.start()
                    }
                }
            }
        }
    }

    private static func send(
        _ count: UInt32, by step: Int, as number: Int, to racing: RacingPipeline
    ) async {
        let connection = await racing.pipeline.loops.openPushConnection(
            device: racing.devices[number], session: RacingPipeline.session(number),
            recorded: false)
        var next: UInt32 = 1
        while next <= count {
            let last = min(count, next + UInt32(step) - 1)
            await connection.send((next...last).map(RacingPipeline.frame))
            next = last + 1
        }
        await connection.close()
    }

    private static let expected = Dictionary(
        uniqueKeysWithValues: (1...300).map { (UInt32($0), 1) })

    @Test(.timeLimit(.minutes(10)), arguments: [1, 3])
    func `Frames and posted work are each done once, by one thread at a time`(
        loops: Int
    ) async throws {
        let racing = try RacingPipeline(loops: loops, devices: 6)
        let posting = Posting(to: racing.pipeline.mailbox)
        // First frames alone, so that loops and the log's threads run turns; then all at once.
        await withTaskGroup { group in
            for number in 0..<3 {
                group.addTask { await Self.send(300, by: 1, as: number, to: racing) }
            }
        }
        let counters = racing.pipeline.counters
        // The counts depend on the machine, so they are only printed.
        let loopTurns = counters.loopTurns.load(ordering: .relaxed)
        let logTurns = counters.logTurns.load(ordering: .relaxed)
        print("turns of event loops: \(loopTurns), of the log's threads: \(logTurns)")
        await withTaskGroup { group in
            for number in 3..<6 {
                group.addTask { await Self.send(300, by: 40 - number, as: number, to: racing) }
            }
            group.addTask { await posting.ask(as: 0) }
            group.addTask {
                await Self.onThreads(Posting.posters - 1) { posting.post(as: $0 + 1) }
            }
        }
        await racing.stop()
        #expect(posting.guarded.runs.allSatisfy { $0 == 1 })
        #expect(posting.guarded.overlaps == 0)
        #expect(posting.accepted.withLock { $0.count } == posting.guarded.runs.count)
        let frames = try racing.frames()
        for number in 0..<6 { #expect(frames[RacingPipeline.session(number)] == Self.expected) }
        #expect(counters.flow.framesRecorded.load(ordering: .relaxed) == 1800)
        #expect(counters.flow.framesDuplicate.load(ordering: .relaxed) == 0)
    }

    @Test(.timeLimit(.minutes(10)), arguments: 0..<4)
    func `Work posted while the pipeline stops is run, or refused and never run`(
        moment: Int
    ) async throws {
        let racing = try RacingPipeline(loops: 2, devices: 2)
        let posting = Posting(to: racing.pipeline.mailbox)
        for number in 0..<2 { await Self.send(300, by: 60, as: number, to: racing) }
        await withTaskGroup { group in
            group.addTask { await posting.ask(as: 0) }
            group.addTask {
                await Self.onThreads(Posting.posters - 1) { posting.post(as: $0 + 1) }
            }
            group.addTask {
                // Each moment ends the mailbox after a different number of posts.
                while posting.accepted.withLock({ $0.count }) < moment * 400 { await Task.yield() }
                await racing.stop()
            }
        }
        let accepted = posting.accepted.withLock { $0 }
        let expected = posting.guarded.runs.indices.map { accepted.contains($0) ? 1 : 0 }
        #expect(posting.guarded.runs == expected)
        #expect(posting.guarded.overlaps == 0)
        #expect(accepted.count >= moment * 400)
        let frames = try racing.frames()
        for number in 0..<2 { #expect(frames[RacingPipeline.session(number)] == Self.expected) }
    }
}
