import Peers

/// What it costs to read frames at a door, in time and in allocations.
enum FrameReading {
    /// - Parameters:
    ///   - name: Of the figure.
    ///   - allocationsMax: A frame.
    ///   - readAll: Reads frames and says how many.
    /// - Returns: A contest for each.
    static func contests(
        _ name: String, allocationsMax: Double, _ readAll: @escaping () -> Int
    ) -> [Contest] {
        let time = Contest.Contender(name: "pulsecast") {
            let start = peers_thread_seconds()
            let frames = readAll()
            return (peers_thread_seconds() - start) * 1e9 / Double(frames)
        }
        let allocations = Contest.Contender(name: "pulsecast") {
            let before = peers_allocations()
            let frames = readAll()
            return Double(peers_allocations() - before) / Double(frames)
        }
        return [
            Contest(
                name: name, unit: "ns a frame", contenders: [time, .pace { $0 * 1e9 }], bar: .none),
            Contest(
                name: name, unit: "allocations a frame", contenders: [allocations],
                bar: .atMost(allocationsMax)),
        ]
    }
}
