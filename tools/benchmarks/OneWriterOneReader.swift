import Foundation
import Peers
import Ring

/// The ring between an event loop and the pipeline: 64-byte items, two pinned threads.
///
///     core 0 ──push──▶ ring ──drain──▶ core 1
enum OneWriterOneReader {
    private typealias Item = SIMD8<UInt64>
    private static let items: UInt64 = 4_000_000
    private static let capacity = 4096

    static var contests: [Contest] {
        [
            Contest(
                name: "ring, an item at a time", unit: "M items/s",
                contenders: [
                    .init(name: "pulsecast", run: { ours(batch: 1) }),
                    .init(name: "boost spsc_queue", run: { rate(peers_boost_spsc(items, 1)) }),
                    .init(
                        name: "moodycamel ReaderWriterQueue",
                        run: { rate(peers_moodycamel_spsc(items)) }),
                ], bar: .atLeast(1.0)),
            Contest(
                name: "ring, batches of 32, against an item at a time", unit: "M items/s",
                contenders: [
                    .init(name: "pulsecast", run: { ours(batch: 32) }),
                    .init(name: "boost spsc_queue", run: { rate(peers_boost_spsc(items, 1)) }),
                    .init(
                        name: "moodycamel ReaderWriterQueue",
                        run: { rate(peers_moodycamel_spsc(items)) }),
                ], bar: .atLeast(1.5)),
            Contest(
                name: "ring, batches of 32 on both sides", unit: "M items/s",
                contenders: [
                    .init(name: "pulsecast", run: { ours(batch: 32) }),
                    .init(name: "boost spsc_queue", run: { rate(peers_boost_spsc(items, 32)) }),
                ], bar: .none),
        ]
    }

    private static func rate(_ seconds: Double) -> Double? {
        seconds > 0 ? Double(items) / seconds / 1e6 : nil
    }

    private static func ours(batch: Int) -> Double? {
        let ring = RingBuffer<Item>(capacity: capacity)
        // The reader begins on the writer's core, and could wait there for the end of its time slice.
        let ready = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            peers_pin(1)
            ready.signal()
            var taken: UInt64 = 0
            var sum: UInt64 = 0
            while taken < items {
                var got = 0
                if batch == 1 {
                    while let item = ring.pop() {
                        sum &+= item[0]
                        got += 1
                    }
                } else {
                    got = ring.drain(limit: batch) { sum &+= $0[0] }
                }
                if got == 0 { peers_relax() }
                taken += UInt64(got)
            }
            precondition(sum == items * (items - 1) / 2, "the ring lost or changed an item")
            done.signal()
        }
        peers_pin(0)
        ready.wait()
        let start = peers_wall_seconds()
        if batch == 1 { pushEach(to: ring) } else { pushBatches(of: batch, to: ring) }
        done.wait()
        return rate(peers_wall_seconds() - start)
    }

    private static func pushEach(to ring: RingBuffer<Item>) {
        var item = Item.zero
        for next in 0..<items {
            item[0] = next
            while !ring.push(item) { peers_relax() }
        }
    }

    private static func pushBatches(of batch: Int, to ring: RingBuffer<Item>) {
        var out = [Item](repeating: .zero, count: batch)
        var next: UInt64 = 0
        while next < items {
            let count = min(batch, Int(items - next))
            for place in 0..<count { out[place][0] = next + UInt64(place) }
            let pushed = ring.push(contentsOf: out.span.extracting(0..<count))
            if pushed == 0 { peers_relax() }
            next += UInt64(pushed)
        }
    }
}
