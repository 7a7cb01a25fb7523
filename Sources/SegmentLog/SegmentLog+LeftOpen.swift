import Synchronization

extension SegmentLog {
    /// Whether the log may still list further records of an earlier run, before it takes new ones.
    public var awaitsRecords: Bool {
        !undurable.withLock { $0.isEmpty } && !core.withLock { $0.hasBegun }
    }

    /// Makes records durable that an earlier run left in the kernel's memory, and lists them.
    ///
    /// Runs before a new segment takes over: a device that resumes must be told of everything that
    /// was acknowledged, or it would send it again. A segment that the disk still refuses waits for
    /// the repair.
    func makeLeftOpenDurable() {
        for number in undurable.withLock({ $0.sorted() }) {
            do throws(DiskError) { try makeLeftOpenDurable(number) } catch { continue }
            _ = undurable.withLock { $0.remove(number) }
        }
    }

    private func makeLeftOpenDurable(_ number: UInt64) throws(DiskError) {
        // Upkeep replaces and removes segments, too.
        var failure: DiskError?
        upkeep.withLock { _ in
            let entries = Array(core.withLock { $0.catalog() })
            guard let place = entries.firstIndex(where: { $0.number == number }),
                !entries[place].isSealed
            else { return }
            var open = entries[place]
            do throws(DiskError) {
                let file = LenientFile(try disk.open(open.name, .write))
                try file.makeDurable()
                try open.indexByReading(
                    file, until: open.bytes,
                    before: SegmentEntry.followingOffsets(entries)[place])
                core.withLock { $0.replace(open) }
            } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
