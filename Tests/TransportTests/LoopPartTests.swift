import Sharing
import Testing

@testable import Transport

@Suite struct LoopPartTests {
    @Test(arguments: [1, 2, 4])
    func `Up to four loops have no more together than one alone`(loops: Int) {
        let (one, part) = (
            LoopPart(loops: 1, ringBytes: 256 << 10), LoopPart(loops: loops, ringBytes: 256 << 10)
        )
        #expect(part.inboundBytes * loops == one.inboundBytes)
        #expect(part.outboundMessages * loops == one.outboundMessages)
        #expect(part.eventBytes * loops == FeedTable.eventBytesMax)
        #expect(part.ringBytes * loops == one.ringBytes)
    }

    @Test(arguments: 1...16, [64, 100, 256, 1000, 65_536])
    func `Any allowed setting gives rings that can be made`(loops: Int, kibibytes: Int) {
        let part = LoopPart(loops: loops, ringBytes: kibibytes << 10)
        #expect(part.inboundBytes.nonzeroBitCount == 1)
        #expect(part.outboundMessages.nonzeroBitCount == 1)
        #expect(part.inboundBytes >= 64 << 10)
        #expect(part.inboundBytes * loops <= max(kibibytes << 10, loops * 64 << 10))
        #expect(part.outboundMessages * loops <= max(LoopPart.allMessages, loops * 4096))
    }
}
