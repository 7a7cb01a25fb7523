import Foundation
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

    @Test(arguments: [
        ("Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nMems_allowed:\t1\n", 4),
        ("Cpus_allowed_list:\t5", 1), ("Cpus_allowed_list:\t0,2-4,9-10\n", 6),
        ("Cpus_allowed_list:\t4-2\n", nil), ("Cpus_allowed_list:\t\n", nil),
        ("Cpus_allowed_list:\tx\n", nil), ("", nil),
    ])
    func `The mask of processors is the system's list`(status: String, count: Int?) {
        #expect(Processors.allowed(in: status) == count)
    }

    @Test func `This system has such a list`() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let allowed = try #require(Processors.allowed(in: status))
        #expect((1...allowed).contains(Processors.count))
    }
}
