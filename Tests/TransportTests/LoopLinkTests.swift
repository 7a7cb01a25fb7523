import NIOCore
import Ring
import SensorModel
import Synchronization
import Testing

@testable import Transport

@Suite struct LoopLinkTests {
    private static func nobody(_ number: UInt64) -> OutboundMessage {
        .caughtUp(SubscriberID(loop: 0, number: number))
    }

    @Test func `A loop that fills its own ring takes from it instead of waiting for itself`()
        async throws
    {
        let loops = LoopGroup(
            outboundMessages: 8, published: { 0 }, arrivalClock: { Timestamp(microseconds: 0) })
        let link = loops.links[0]
        try await link.eventLoop.submit {
            for number in 1...1000 { link.push(Self.nobody(UInt64(number))) }
            link.flush()
        }.get()
        // The flush's task on the loop runs before this one.
        try await link.eventLoop.submit {}.get()
        #expect(link.outboundFillRatio == 0)
        await loops.shutdown()
    }

    @Test func `Whoever published is told once a round, outside of what published`() async throws {
        let told = Atomic(0)
        let loops = LoopGroup(
            published: {
                told.add(1, ordering: .relaxed)
                return 0
            },
            arrivalClock: { Timestamp(microseconds: 0) })
        let state = loops.states[0]
        try await loops.links[0].eventLoop.submit {
            for number: UInt64 in 1...3 {
                let closed = InboundMessage.closed(
                    ConnectionID(loop: 0, number: number), arrival: Timestamp(microseconds: 0))
                #expect(state.value.inbound.push(closed))
                state.value.inbound.publish()
            }
            #expect(told.load(ordering: .relaxed) == 0)
        }.get()
        try await loops.links[0].eventLoop.submit {}.get()
        #expect(told.load(ordering: .relaxed) == 1)
        #expect(loops.links[0].inbound.drain { _ in } == 3)
        await loops.shutdown()
    }
}
