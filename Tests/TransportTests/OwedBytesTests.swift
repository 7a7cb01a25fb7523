import Testing

@testable import Transport

@Suite struct OwedBytesTests {
    @Test func `Who reads is not cut by those who do not`() {
        var owed = OwedBytes(bytesMax: 1000)
        for number in UInt64(1)...10 { _ = owed.set(100, of: number) }
        // A reader with a long answer: its owed bytes grow and shrink, and others are evicted.
        var evicted: [UInt64] = []
        for _ in 0..<50 {
            for bytes in [200, 100, 200, 0] {
                switch owed.set(bytes, of: 99) {
                case .taken: break
                case .evicting(let numbers): evicted += numbers
                case .refused: Issue.record("the reader is refused")
                }
            }
        }
        #expect(evicted == [1, 2])
        #expect(owed.bytes == 800)
    }

    @Test func `The one that has read nothing for longest gives way first`() {
        var owed = OwedBytes(bytesMax: 300)
        for number in UInt64(1)...3 { _ = owed.set(100, of: number) }
        _ = owed.set(90, of: 1)
        _ = owed.set(100, of: 1)
        #expect(owed.set(100, of: 4) == .evicting([2]))
        #expect(owed.set(100, of: 5) == .evicting([3]))
        #expect(owed.set(100, of: 6) == .evicting([1]))
    }

    @Test func `One that owes more than all may is refused, and owes nothing`() {
        var owed = OwedBytes(bytesMax: 300)
        _ = owed.set(100, of: 1)
        #expect(owed.set(301, of: 2) == .refused)
        #expect(owed.bytes == 100)
        #expect(owed.set(300, of: 2) == .evicting([1]))
    }
}
