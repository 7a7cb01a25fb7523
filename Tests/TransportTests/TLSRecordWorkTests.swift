import NIOCore
import Testing

@testable import Transport

struct TLSRecordWorkTests {
    private static let start = NIODeadline.now()

    /// Number of records of `bytes` bytes that are admitted in sequence, at `perSecond` a second.
    private func admitted(
        bytes: Int, perSecond: Int64, of count: Int, isKeyUpdate: Bool = false
    ) -> Int {
        var work = TLSRecordWork()
        for number in 0..<count {
            let nanoseconds = Int64(number) * 1_000_000_000 / perSecond
            work.advance(to: Self.start + .nanoseconds(nanoseconds))
            guard work.admit(bytes: bytes), !isKeyUpdate || work.admitKeyUpdate() else {
                return number
            }
        }
        return count
    }

    @Test(arguments: [(16, 1_000_000), (20, 1_000_000), (6, 100), (1, 200)] as [(Int, Int64)])
    func `Whoever sends content, or little, is never stopped`(bytes: Int, perSecond: Int64) {
        #expect(admitted(bytes: bytes, perSecond: perSecond, of: 100_000) == 100_000)
    }

    @Test(arguments: [(0, 1024), (1, 1092), (-7, 1024), (8, 2048)])
    func `Of small records at once so many are taken`(bytes: Int, count: Int) {
        #expect(
            (count...(count + 5)).contains(
                admitted(bytes: bytes, perSecond: 1_000_000, of: 10_000)))
    }

    @Test func `Of what may be a key update fewer are taken than of other small records`() {
        var work = TLSRecordWork()
        #expect((0..<1000).count { _ in work.admit(bytes: 5, isOpened: false) } == 128)
    }

    @Test func `Of key updates fewer are taken`() {
        let taken = admitted(bytes: 5, perSecond: 1_000_000, of: 10_000, isKeyUpdate: true)
        #expect((30...33).contains(taken))
        #expect(admitted(bytes: 5, perSecond: 5, of: 10_000, isKeyUpdate: true) == 10_000)
    }
}
