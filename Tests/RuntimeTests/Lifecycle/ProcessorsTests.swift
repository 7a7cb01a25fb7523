import Foundation
import Glibc
import Testing

@testable import Runtime

@Suite struct ProcessorsTests {
    private static let groups = "1:name=systemd:/a\n0::/system.slice/pulsecast.service\n"

    @Test(arguments: [
        ("200000 100000\n", 2), ("150000 100000", 2), ("10000 100000", 1), ("800000 100000", 4),
        ("max 100000", 4), ("", 4), ("100000", 4), ("0 100000", 4), ("100000 0", 4),
    ])
    func `A control group with less time leaves fewer processors`(limit: String, count: Int) {
        let found = Processors.count(onWhichToRun: 4, groups: Self.groups) {
            $0 == "/system.slice/pulsecast.service" ? limit : nil
        }
        #expect(found == count)
    }

    @Test func `The tightest limit of all outer groups holds`() {
        var asked: [String] = []
        let found = Processors.count(onWhichToRun: 8, groups: Self.groups) { group in
            asked.append(group)
            return group == "/system.slice" ? "300000 100000" : "700000 100000"
        }
        #expect(found == 3)
        #expect(asked == ["/system.slice/pulsecast.service", "/system.slice", ""])
    }

    @Test(arguments: ["", "0::/", "4:cpu:/a", "0::/\n4:cpu:/a"])
    func `In a container, or without control groups, the root's limit holds`(groups: String) {
        #expect(
            Processors.count(onWhichToRun: 8, groups: groups) { $0 == "" ? "200000 100000" : nil }
                == 2)
        #expect(Processors.count(onWhichToRun: 8, groups: groups) { _ in nil } == 8)
        #expect(Processors.count(onWhichToRun: 0, groups: groups) { _ in nil } == 1)
    }

    @Test func `A thread that is bound to one processor has one`() async {
        #expect(Processors.inMask() >= Processors.count)
        let found: Int = await withCheckedContinuation { done in
            Thread.detachNewThread {
                var mask = cpu_set_t()
                let size = MemoryLayout<cpu_set_t>.size
                unsafe sched_getaffinity(0, size, &mask)
                unsafe withUnsafeMutableBytes(of: &mask) { bytes in
                    let byte = unsafe bytes.firstIndex { $0 != 0 } ?? 0
                    let lowest = unsafe bytes[byte] & (~bytes[byte] &+ 1)
                    for index in unsafe bytes.indices { unsafe bytes[index] = 0 }
                    unsafe bytes[byte] = lowest
                }
                unsafe sched_setaffinity(0, size, &mask)
                done.resume(returning: Processors.inMask())
            }
        }
        #expect(found == 1)
    }
}
