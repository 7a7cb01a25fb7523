import Testing

@testable import Ingest

@Suite struct SessionQuotaTests {
    private let quota = SessionQuota(sessionsMax: 1000)

    /// Lets each device in turn begin sessions until none may begin another.
    ///
    /// - Returns: Sessions by device.
    private func filled(_ recorded: [Int]) -> [Int] {
        var recorded = recorded
        while true {
            var begun = 0
            for device in recorded.indices {
                let all = recorded.reduce(0, +)
                guard quota.hasRoom(.init(own: recorded[device], all: all)) else { continue }
                recorded[device] += 1
                begun += 1
            }
            guard begun > 0 else { return recorded }
        }
    }

    @Test func `One device takes four fifths, and another has room beside it`() {
        #expect(filled([0]) == [800])
        #expect(filled([800, 0]) == [800, 160])
    }

    @Test(arguments: [1, 2, 3, 10, 99, 2000])
    func `Whatever their number, devices stay within the limit and share it evenly`(count: Int) {
        let recorded = filled(Array(repeating: 0, count: count))
        #expect(recorded.reduce(0, +) <= 1000)
        #expect((recorded.max() ?? 0) - (recorded.min() ?? 0) <= 1)
    }

    @Test func `A log that has more than the limit takes no new session`() {
        #expect(!quota.hasRoom(.init(own: 0, all: 1000)))
        #expect(!quota.hasRoom(.init(own: 0, all: 5000)))
    }
}
