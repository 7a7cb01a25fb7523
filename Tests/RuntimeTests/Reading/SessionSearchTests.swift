import Dispatch
import FaultyDisk
import Foundation
import Registry
import SegmentLog
import SensorModel
import Synchronization
import Testing

@testable import Runtime

@Suite struct SessionSearchTests {
    // MARK: Dates

    @Test(arguments: [
        ("2026", "2026-01-01", "2027-01-01"), ("2026-", "2026-01-01", "2027-01-01"),
        ("2026-0", "2026-01-01", "2026-10-01"), ("2026-1", "2026-10-01", "2027-01-01"),
        ("2026-11", "2026-11-01", "2026-12-01"), ("2026-11-", "2026-11-01", "2026-12-01"),
        ("2026-11-0", "2026-11-01", "2026-11-10"), ("2026-11-2", "2026-11-20", "2026-11-30"),
        ("2026-11-3", "2026-11-30", "2026-12-01"), ("2026-11-21", "2026-11-21", "2026-11-22"),
        ("2024-02-29", "2024-02-29", "2024-03-01"), ("2026-12-31", "2026-12-31", "2027-01-01"),
    ])
    func `The beginning of a date means all days that begin so`(
        text: String, from: String, end: String
    ) throws {
        let days = try #require(SearchedDays(text))
        for zone in ["UTC", "Asia/Seoul", "America/New_York"] {
            let zone = try #require(TimeZone(identifier: zone))
            var style = Date.ISO8601FormatStyle(timeZone: zone)
            style = style.year().month().day()
            let times = try #require(days.times(in: zone))
            #expect(
                times.lowerBound.secondsSince1970 == (try style.parse(from)).timeIntervalSince1970)
            #expect(
                times.upperBound.secondsSince1970 == (try style.parse(end)).timeIntervalSince1970)
        }
    }

    @Test(arguments: [
        "", "2", "202", "0000", "20261", "2026-13", "2026-2", "2026-00", "2026-11-31", "2026-11-4",
        "2026-1-2", "2026-02-3", "2025-02-29", "2026-11-210", "２０２６", "2026-11-21 ", "-2026",
    ])
    func `What begins no date means no day`(text: String) {
        #expect(SearchedDays(text) == nil)
    }

    // MARK: Lists

    /// Sessions of two devices in a log, with notes.
    private final class Scene: Sendable {
        static let start = Timestamp(microseconds: 1_760_000_000_000_000)
        static let (ann, bob) = (DeviceID(rawValue: 1), DeviceID(rawValue: 2))

        let folder = FileManager.default.temporaryDirectory.path + "/pc-\(UUID().uuidString)"
        let registry: RegistryStore
        let log: SegmentLog
        let results: SessionResults
        let pool = ReadPool()

        /// - Parameters:
        ///   - count: Sessions; those with even numbers are ann's. One begins an hour.
        ///   - notes: Notes by number of the session.
        /// - Throws: ``RegistryError``, ``SegmentLogError``
        init(_ count: Int, notes: [Int: SessionNote] = [:]) throws {
            registry = try RegistryStore(folder: folder)
            for (name, seed) in [("ann", UInt8(1)), ("bob", 2)] {
                let hash = try #require(SecretHash(bytes: Array(repeating: seed, count: 32)))
                _ = try registry.addDevice(
                    name: name, tokenHash: hash, at: Self.start, privacySalt: 1,
                    sealProofKey: { _ in [1] })
            }
            let disk = SimulatedDisk()
            log = try SegmentLog.open(
                disk: disk,
                configuration: LogConfiguration(
                    durability: .always, segmentBytesMax: 1 << 26, reserveBytes: 1 << 16),
                now: Self.start, observer: LogObserver())
            for number in 0..<count {
                let time = Self.start.advanced(bySeconds: 3600 * Double(number))
                let head: [UInt8] = [1, 2, 3]
                _ = log.appendSession(
                    Self.session(number), device: number % 2 == 0 ? Self.ann : Self.bob,
                    deviceTime: time, arrivalTime: time, payload: head.span)
                if number % 200 == 199 { log.syncAppended() }
            }
            log.syncAppended()
            results = SessionResults(
                log: log, registry: registry, catalog: SessionCatalog(log: log))
            for (number, note) in notes {
                try registry.setNote(
                    note, of: Self.session(number), of: number % 2 == 0 ? Self.ann : Self.bob)
            }
        }

        deinit {
            pool.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// IDs that are not in the order of the sessions.
        static func session(_ number: Int) -> SessionID {
            SessionID(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number))
        }

        /// - Returns: Numbers of the found sessions, page by page.
        func pages(
            _ text: String, of owner: SessionCatalog.Owner, limit: Int
        ) async throws -> [[UInt64]] {
            let search = SessionSearch(text, timeZones: [:])
            var pages: [[UInt64]] = []
            var before: RecordOffset?
            while true {
                let page = try await results.page(
                    of: owner, before: before, since: nil, limit: limit, matching: search,
                    in: pool, for: .administrator)
                pages.append(page.sessions.map(\.session.low))
                guard page.more else { return pages }
                before = page.sessions.last?.firstOffset
            }
        }
    }

    /// Whether the search was over, at each reading.
    private final class Notes: Sendable {
        let seen = Mutex<[Bool]>([])
        let isOver = Atomic(false)
    }

    private static let noted: [Int: SessionNote] = [
        0: SessionNote(name: "River"), 1: SessionNote(name: "river, bob's"),
        2: SessionNote(text: "along the RIVER"), 3: SessionNote(name: "x", text: "Riv"),
        2998: SessionNote(name: "my river run"), 2999: SessionNote(text: "River"),
        4: SessionNote(name: "Ri", text: "ver"), 5: SessionNote(exertion: 3),
    ]

    @Test func `Pages of a search join, and are of the owner's sessions only`() async throws {
        let scene = try Scene(3000, notes: Self.noted)
        scene.pool.start()
        for (owner, found) in [
            (.device(Scene.ann), [2998, 2, 0]), (.device(Scene.bob), [2999, 1]),
            (.anybody, [2999, 2998, 2, 1, 0]), (.nobody(registered: [Scene.bob]), []),
        ] as [(SessionCatalog.Owner, [UInt64])] {
            for limit in [1, 2, 1000] {
                let pages = try await scene.pages("rIVEr", of: owner, limit: limit)
                #expect(pages.flatMap { $0 } == found)
                #expect(pages.count == max(1, (found.count + limit - 1) / limit))
            }
        }
        // The first session began on 2025-10-09 at 08:53 UTC.
        let day = try await scene.pages("2025-10-09", of: .device(Scene.ann), limit: 3)
        #expect(day == [[14, 12, 10], [8, 6, 4], [2, 0]])
        #expect(try await scene.pages("2024", of: .anybody, limit: 3) == [[]])
    }

    @Test func `Days are those of each runner's time zone`() async throws {
        let scene = try Scene(40)
        scene.pool.start()
        let search = SessionSearch("2025-10-09", timeZones: [Scene.bob: "Asia/Seoul"])
        let page = try await scene.results.page(
            of: .anybody, before: nil, since: nil, limit: 100, matching: search, in: scene.pool,
            for: .administrator)
        // Midnight is 15 h after the start in UTC, and 6 h after it in Seoul.
        let found: [UInt64] = [14, 12, 10, 8, 6, 5, 4, 3, 2, 1, 0]
        #expect(page.sessions.map(\.session.low) == found)
    }

    @Test(.timeLimit(.minutes(1)))
    func `A search that finds nothing lets others read in between`() async throws {
        let scene = try Scene(8000)
        let notes = Notes()
        let gate = DispatchSemaphore(value: 0)
        // One of the two threads waits for the gate.
        let blocked = Task {
            try await scene.pool.run(for: .device(DeviceID(rawValue: 3))) { _ in gate.wait() }
        }
        while scene.pool.waiting < 1 { await Task.yield() }
        let search = Task {
            defer { notes.isOver.store(true, ordering: .relaxed) }
            return try await scene.pages("nothing", of: .anybody, limit: 1)
        }
        while scene.pool.waiting < 2 { await Task.yield() }
        let readings = (0..<4).map { _ in
            Task {
                try await scene.pool.run(for: .device(Scene.bob)) { _ in
                    let isOver = notes.isOver.load(ordering: .relaxed)
                    notes.seen.withLock { $0.append(isOver) }
                }
            }
        }
        while scene.pool.waiting < 6 { await Task.yield() }
        scene.pool.start()
        for reading in readings { try await reading.value }
        gate.signal()
        try await blocked.value
        #expect(try await search.value == [[]])
        #expect(notes.seen.withLock { $0 } == [false, false, false, false])
    }
}
