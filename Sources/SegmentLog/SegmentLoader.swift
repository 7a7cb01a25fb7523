import Synchronization

/// Reads the headers and indices of many segments, on several threads.
///
/// They take most of the time of a start without a catalog. The disk serves threads in parallel.
final class SegmentLoader: Sendable {
    private static let threadsMax = 16
    private static let segmentsPerThread = 64

    private typealias Loaded = (place: Int, result: Result<SegmentEntry, SegmentLogError>)

    private let disk: any Disk
    private let numbers: [UInt64]
    /// Index of the next number that no thread has taken.
    private let next = Atomic(0)
    private let loaded = Mutex<[Loaded]>([])

    private init(_ numbers: [UInt64], on disk: any Disk) {
        self.numbers = numbers
        self.disk = disk
    }

    /// - Parameters:
    ///   - numbers: Numbers of the segments.
    ///   - disk: The log's folder.
    /// - Returns: Each segment's entry, or why it cannot be used, in the order of `numbers`.
    static func load(
        _ numbers: [UInt64], from disk: any Disk
    ) -> [Result<SegmentEntry, SegmentLogError>] {
        let loader = SegmentLoader(numbers, on: disk)
        let count = min(threadsMax, numbers.count / segmentsPerThread)
        // If the system cannot create a thread, the others do its work.
        let helpers = (0..<max(0, count - 1)).compactMap { _ in LogThread { loader.loadRest() } }
        loader.loadRest()
        for helper in helpers { helper.join() }
        return loader.loaded.withLock { $0.sorted { $0.place < $1.place }.map(\.result) }
    }

    private func loadRest() {
        var own: [Loaded] = []
        while true {
            let place = next.add(1, ordering: .relaxed).oldValue
            guard place < numbers.count else { break }
            let result = Result { () throws(SegmentLogError) in
                try SegmentEntry.load(numbers[place], from: disk)
            }
            own.append((place, result))
        }
        loaded.withLock { $0 += own }
    }
}
