/// Sockets that systemd opened before the daemon started, by the name their unit gives them.
public struct ListenDescriptors: Hashable, Sendable {
    /// The first descriptor that is passed: sd_listen_fds(3).
    private static let first: Int32 = 3
    /// More than any of our units passes. A larger count is an error; the daemon must not search
    /// its other open files for sockets.
    private static let countMax = 64

    public let descriptors: [String: Int32]

    /// - Parameters:
    ///   - environment: Environment with `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
    ///   - processID: This process; descriptors for another one are ignored.
    public init(environment: [String: String], processID: Int32) {
        guard environment["LISTEN_PID"].flatMap(Int32.init) == processID,
            let count = environment["LISTEN_FDS"].flatMap(Int.init),
            (1...Self.countMax).contains(count)
        else {
            descriptors = [:]
            return
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        var found: [String: Int32] = [:]
        for index in 0..<count {
            let name = index < names.count ? Self.shortName(names[index]) : "unnamed\(index)"
            found[name] = Self.first + Int32(index)
        }
        descriptors = found
    }

    /// `pulsecast-http.socket` and `http` name the same listener.
    private static func shortName(_ name: Substring) -> String {
        var short = name
        if short.hasSuffix(".socket") { short = short.dropLast(".socket".count) }
        if short.hasPrefix("pulsecast-") { short = short.dropFirst("pulsecast-".count) }
        return String(short)
    }
}
