import Glibc

extension CatalogFile {
    /// Returns the segments of a folder, from the catalog or from their own files.
    ///
    /// The newest segment and those that the catalog lacks are read from their files.
    ///
    /// - Parameters:
    ///   - numbers: Numbers of the existing files, ascending.
    ///   - disk: The folder.
    ///   - content: Content of the catalog.
    ///   - isGoneAllowed: Whether retention of another process may remove files meanwhile.
    /// - Returns: One entry per number, ascending.
    /// - Throws: ``SegmentLogError``
    static func segments(
        _ numbers: [UInt64], on disk: any Disk, knowing content: Content, isGoneAllowed: Bool
    ) throws(SegmentLogError) -> [SegmentEntry] {
        var (known, unknown): ([SegmentEntry], [UInt64]) = ([], [])
        var loaded: [SegmentEntry] = []
        var epoch: UInt32?
        let emptied = emptied(numbers, on: disk, knowing: content)
        for number in numbers.reversed() {
            // An entry of another epoch is left from segments that were removed by hand.
            if let entry = content.entries[number], let epoch, entry.header?.epoch == epoch,
                !emptied.contains(number)
            {
                known.append(entry)
            } else if epoch != nil {
                unknown.append(number)
            } else {
                let newest = SegmentLoader.load([number], from: disk)
                loaded += try found(newest, isGoneAllowed: isGoneAllowed)
                epoch = loaded.last?.header?.epoch
            }
        }
        loaded += try found(
            SegmentLoader.load(unknown, from: disk), isGoneAllowed: isGoneAllowed)
        return (loaded + known).sorted { $0.number < $1.number }
    }

    /// Returns the oldest segments of the catalog whose files are empty.
    ///
    /// Retention could not remove these files, and a power loss came before it removed their
    /// entries. The first file with content ends the search.
    private static func emptied(
        _ numbers: [UInt64], on disk: any Disk, knowing content: Content
    ) -> Set<UInt64> {
        var emptied: Set<UInt64> = []
        for number in numbers where content.entries[number] != nil {
            do throws(DiskError) {
                let file = try disk.open(SegmentFormat.fileName(of: number), .read)
                guard try file.size() == 0 else { break }
                emptied.insert(number)
            } catch {
                guard error.number == ENOENT else { break }
            }
        }
        return emptied
    }

    private static func found(
        _ loaded: [Result<SegmentEntry, SegmentLogError>], isGoneAllowed: Bool
    ) throws(SegmentLogError) -> [SegmentEntry] {
        var entries: [SegmentEntry] = []
        for result in loaded {
            do throws(SegmentLogError) {
                entries.append(try result.get())
            } catch {
                guard isGoneAllowed, case .disk(let cause) = error, cause.number == ENOENT else {
                    throw error
                }
            }
        }
        return entries
    }
}
