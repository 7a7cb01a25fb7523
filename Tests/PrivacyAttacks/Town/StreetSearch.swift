/// Dijkstra's algorithm on a town's streets; reuses its memory between searches.
public struct StreetSearch: Sendable {
    /// Distance to each corner; only those of the last search are valid.
    public private(set) var meters: [Double]
    /// Meters climbed along the shortest way from the source to each corner.
    public private(set) var climb: [Double]
    /// Descent in meters along the same way.
    public private(set) var descent: [Double]
    private(set) var previous: [Int32]
    private var reached: [Int32] = []
    private var heap: [(meters: Double, corner: Int32)] = []

    public init(_ town: Town) {
        meters = Array(repeating: .infinity, count: town.corners.count)
        climb = Array(repeating: 0, count: town.corners.count)
        descent = climb
        previous = Array(repeating: -1, count: town.corners.count)
    }

    /// - Parameters:
    ///   - town: The town that the search was made for.
    ///   - sources: Corners with their initial distances.
    ///   - reach: Meters beyond which corners stay at infinity.
    ///   - target: Corner at which to stop early.
    ///   - altitudes: Altitudes of the corners, to sum climbs; empty: no climbs.
    ///   - weights: Factors of the streets' lengths, at least 1; empty: 1.
    public mutating func run(
        in town: Town, from sources: [(corner: Int, meters: Double)], reach: Double,
        target: Int? = nil, altitudes: [Double] = [], weights: [Double] = []
    ) {
        for corner in reached {
            meters[Int(corner)] = .infinity
            previous[Int(corner)] = -1
        }
        reached.removeAll(keepingCapacity: true)
        heap.removeAll(keepingCapacity: true)
        for source in sources where source.meters < meters[source.corner] {
            if meters[source.corner] == .infinity { reached.append(Int32(source.corner)) }
            meters[source.corner] = source.meters
            climb[source.corner] = 0
            descent[source.corner] = 0
            push(source.meters, Int32(source.corner))
        }
        while let (distance, corner) = pop() {
            let index = Int(corner)
            if distance > meters[index] { continue }
            if index == target { return }
            for link in Int(town.firstLink[index])..<Int(town.firstLink[index + 1]) {
                let (next, street) = town.links[link]
                let factor = weights.isEmpty ? 1 : weights[Int(street)]
                let there = distance + town.streets[Int(street)].length * factor
                let at = Int(next)
                guard there < meters[at], there <= reach else { continue }
                if meters[at] == .infinity { reached.append(next) }
                meters[at] = there
                previous[at] = corner
                if !altitudes.isEmpty {
                    let rise = altitudes[at] - altitudes[index]
                    climb[at] = climb[index] + max(rise, 0)
                    descent[at] = descent[index] + max(-rise, 0)
                }
                push(there, next)
            }
        }
    }

    /// Corners from the source to this one.
    public func way(to corner: Int) -> [Int] {
        var way = [corner]
        var at = corner
        while previous[at] >= 0 {
            at = Int(previous[at])
            way.append(at)
        }
        return way.reversed()
    }

    private mutating func push(_ meters: Double, _ corner: Int32) {
        heap.append((meters, corner))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if heap[parent].meters <= meters { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = (meters, corner)
    }

    private mutating func pop() -> (Double, Int32)? {
        guard let top = heap.first, let last = heap.popLast() else { return nil }
        let count = heap.count
        guard count > 0 else { return (top.meters, top.corner) }
        var hole = 0
        while true {
            var child = 2 * hole + 1
            if child >= count { break }
            if child + 1 < count, heap[child + 1].meters < heap[child].meters { child += 1 }
            if heap[child].meters >= last.meters { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = last
        return (top.meters, top.corner)
    }
}
