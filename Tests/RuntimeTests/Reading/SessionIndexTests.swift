import SensorModel
import Simulator
import Testing

@testable import Runtime
@testable import SegmentLog

/// The session index, compared with a plain list of the same sessions.
@Suite struct SessionIndexTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func
        `Whatever begins, is erased or is read anew, every question has the answer of a plain list`(
            seed: UInt64
        ) throws
    {
        var generator = SeededGenerator(seed: seed)
        var next: UInt64 = 0
        var plain = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            Self.summary(&next, &generator)
        }
        var index = SessionIndex(plain)
        for _ in 0..<40 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let summary = Self.summary(&next, &generator)
                index.insert(Self.entry(summary))
                plain.append(summary)
            case 2:
                guard let victim = plain.indices.randomElement(using: &generator) else { continue }
                if Bool.random(using: &generator) {
                    // Several sessions at once, of all devices.
                    let gone = Set(
                        plain.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
                            .map(\.session) + [plain[victim].session])
                    index.remove(gone, keepingFrom: next)
                    plain.removeAll { gone.contains($0.session) }
                } else {
                    // The log erased its beginning.
                    plain[victim].firstOffset = plain[victim].lastOffset
                    index.replace(
                        plain[victim].session, by: plain[victim], keepingFrom: next)
                    plain.sort { $0.firstOffset < $1.firstOffset }
                }
            default:
                // Retention removed the older half; the log does not know the newest session yet.
                let known = plain.dropFirst(plain.count / 2).dropLast()
                let end = plain.last?.firstOffset.rawValue ?? next
                index.replace(by: SessionIndex(Array(known)), keepingFrom: end)
                plain = known + plain.suffix(1)
            }
            try Self.compare(index, plain, &generator)
        }
    }

    @Test func `The first digits of an ID name all sessions that begin with them`() throws {
        var next: UInt64 = 0
        var generator = SeededGenerator(seed: 7)
        let sessions = (0..<1000).map { _ in Self.summary(&next, &generator) }
        let index = SessionIndex(sessions)
        for text in ["0", "8", "f"].map({ String(repeating: $0, count: 4) })
            + sessions.map({ String($0.session.description.prefix(6)) })
            + sessions.map(\.session.description)
        {
            let prefix = try #require(SessionPrefix(text))
            #expect(
                Array(index.sessions(withPrefix: prefix))
                    == sessions.map(\.session).filter(prefix.matches).sorted())
        }
    }

    private static func compare(
        _ index: SessionIndex, _ plain: [SessionSummary], _ generator: inout SeededGenerator
    ) throws {
        #expect(index.entries.map(\.session) == plain.map(\.session))
        #expect(plain.allSatisfy { index.entry(of: $0.session)?.summary == $0 })
        let prefix = try #require(SessionPrefix("0000"))
        #expect(
            Array(index.sessions(withPrefix: prefix))
                == plain.map(\.session).filter(prefix.matches).sorted())
        let device = DeviceID(rawValue: .random(in: 1...3, using: &generator))
        for owner in [.anybody, .device(device), .nobody(registered: [device])]
            as [SessionCatalog.Owner]
        {
            let own = plain.filter {
                switch owner {
                case .anybody: true
                case .device: $0.device == device
                case .nobody: $0.device != device
                }
            }
            let end = UInt64.random(in: 0...100, using: &generator)
            let page = index.page(of: owner, before: end, since: nil, limit: 5, besides: [])
            #expect(page.changing.isEmpty)
            let newest = own.filter { $0.firstOffset.rawValue < end }.reversed().prefix(6)
            #expect(page.page == Array(newest))
        }
    }

    private static func entry(_ summary: SessionSummary) -> SessionIndex.Entry {
        SessionIndex.Entry(
            session: summary.session, device: summary.device,
            first: summary.firstOffset.rawValue, summary: summary)
    }

    /// A session with some records; half of the IDs share a prefix.
    private static func summary(
        _ next: inout UInt64, _ generator: inout SeededGenerator
    ) -> SessionSummary {
        let first = next
        next += .random(in: 1...8, using: &generator)
        let last = next
        next += 1
        var session = SessionID(using: &generator)
        if Bool.random(using: &generator) {
            session = SessionID(high: session.high & 0xFFFF_FFFF, low: session.low)
        }
        return SessionSummary(
            session: session, device: DeviceID(rawValue: .random(in: 1...3, using: &generator)),
            firstOffset: RecordOffset(rawValue: first), lastOffset: RecordOffset(rawValue: last),
            records: 2, frames: 1, highestSequence: .none, deviceTimes: nil,
            arrivalTimes: start...start)
    }
}
