import Foundation

/// The processors that the process may use.
package enum Processors {
    /// Number of processors on which the process may run, or less if a control group gives it less
    /// time; at least 1. Read once: a later change needs a restart.
    package static let count = count(
        onWhichToRun: allowed(in: contents("/proc/self/status") ?? "")
            ?? ProcessInfo.processInfo.activeProcessorCount,
        groups: contents("/proc/self/cgroup") ?? "",
        limit: { contents("/sys/fs/cgroup\($0)/cpu.max") })

    /// - Parameters:
    ///   - available: Processors on which the process may run.
    ///   - groups: Its control groups, as in `/proc/self/cgroup`.
    ///   - limit: Contents of `cpu.max` of a group: the time and the period of that time in
    ///     microseconds, or `max` and the period; `nil`: there is no such file.
    /// - Returns: At least 1.
    static func count(
        onWhichToRun available: Int, groups: String, limit: (_ group: String) -> String?
    ) -> Int {
        // The one hierarchy of version 2 has the number 0. A limit of an outer group holds, too.
        let line = groups.split(separator: "\n").first { $0.hasPrefix("0::/") } ?? ""
        var group = String(line.dropFirst("0::".count))
        var count = max(1, available)
        while true {
            if group.last == "/" { group.removeLast() }
            let words = (limit(group) ?? "").split { $0 == " " || $0 == "\n" }
            if words.count == 2, let time = Double(words[0]), let period = Double(words[1]),
                time > 0, period > 0
            {
                // A part of a processor is another one to run on.
                count = min(count, max(1, Int((time / period).rounded(.up))))
            }
            guard let slash = group.lastIndex(of: "/") else { return count }
            group = String(group[..<slash])
        }
    }

    /// - Parameter status: `/proc/self/status`.
    /// - Returns: Processors on which the process may run, as `taskset` and `CPUAffinity=` set them;
    ///   `nil`: it does not say.
    static func allowed(in status: String) -> Int? {
        let key = "Cpus_allowed_list:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
            return nil
        }
        var count = 0
        for range in line.dropFirst(key.count).split(separator: ",") {
            let ends = range.split(separator: "-").compactMap { part in
                Int(part.filter { $0.isNumber })
            }
            guard let first = ends.first, let last = ends.last, first <= last else { return nil }
            count += last - first + 1
        }
        return count
    }

    private static func contents(_ path: String) -> String? {
        // A missing file is a valid result: not every system has control groups.
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
