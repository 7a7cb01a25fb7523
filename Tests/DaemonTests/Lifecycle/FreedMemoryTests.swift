import Testing

@testable import Daemon

/// The memory of a crowd goes back once, when the crowd has left.
@Suite(.serialized) struct FreedMemoryTests {
    private static func isDue(
        _ memory: inout FreedMemory, mebibytes: Int, connections: Int = 0
    ) -> Bool {
        memory.isDue(mebibytes << 20, connections: connections)
    }

    @Test func `Memory is returned once for each growth`() {
        var memory = FreedMemory()
        let growth = FreedMemory.growthBytes >> 20
        let first = Self.isDue(&memory, mebibytes: 40)
        #expect(first)
        memory.returned(leaving: 20 << 20)
        let steady = Self.isDue(&memory, mebibytes: 20 + growth)
        #expect(!steady)
        let grown = Self.isDue(&memory, mebibytes: 21 + growth)
        #expect(grown)
        // All of it is in use: nothing more is tried until there is more.
        memory.returned(leaving: 37 << 20)
        let inUse = Self.isDue(&memory, mebibytes: 37 + growth)
        #expect(!inUse)
    }

    @Test func `Nobody who is connected waits for it, as long as there are many`() {
        var memory = FreedMemory()
        let most = FreedMemory.connectionsMax
        let besideMany = Self.isDue(&memory, mebibytes: 900, connections: most + 1)
        #expect(!besideMany)
        let besideFew = Self.isDue(&memory, mebibytes: 900, connections: most)
        #expect(besideFew)
    }

    @Test func `What was needed once is not needed for ever`() {
        var memory = FreedMemory()
        memory.returned(leaving: 300 << 20)
        let less = Self.isDue(&memory, mebibytes: 30)
        #expect(!less)
        let again = Self.isDue(&memory, mebibytes: 60)
        #expect(again)
    }

    @Test func `Pages of small freed blocks between others go back`() throws {
        var blocks = (0..<32_768).map { _ in [UInt8](repeating: 1, count: 4064) }
        // Each thirty-second stays, and keeps the heap's end where it is.
        for number in blocks.indices where number % 32 != 0 { blocks[number] = [] }
        let kept = try #require(FreedMemory.ownBytes())
        FreedMemory.giveBack()
        let left = try #require(FreedMemory.ownBytes())
        #expect(kept - left > 64 << 20, "\(kept) before and \(left) after")
        #expect(blocks.count(where: { !$0.isEmpty }) == 1024)
    }
}
