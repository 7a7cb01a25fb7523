import Glibc
import SegmentLog

/// The files of a node that follows, and their position in the stream.
///
/// Changes of contents may be applied twice without harm, changes of names may not: the second time
/// a name may be another file's. So the position is on disk directly before and after each change
/// of a name.
struct Replica {
    private static let openFilesMax = 64

    let folders: NodeFolders
    private(set) var position: NodePosition
    private let file: PositionFile
    private var open: [String: any DiskFile] = [:]
    private var unsynced: Set<String> = []

    init(_ folders: NodeFolders, _ file: PositionFile, at position: NodePosition) {
        self.folders = folders
        self.file = file
        self.position = position
    }

    /// Whether everything that was applied, and the position, is on disk.
    private(set) var isSaved = false

    /// Applies changes that count together.
    ///
    /// - Parameters:
    ///   - changes: Changes of one or more messages after the position.
    ///   - sequence: The last of those messages.
    ///   - term: Its term.
    /// - Throws: ``DiskError``; with `ENOENT`, a file is not here that the changes expect.
    mutating func apply(
        _ changes: [FileChange], upTo sequence: UInt64, term: UInt64
    ) throws(DiskError) {
        for (index, change) in changes.enumerated().dropFirst(position.changes) {
            isSaved = false
            guard change.isOfNames else {
                try apply(change)
                continue
            }
            position.changes = index
            try save()
            try apply(change)
            try folders.disk(of: change.name).synchronizeNames()
            position.changes = index + 1
            try save()
        }
        skip(to: sequence, term: term)
    }

    /// Skips messages that change nothing here.
    mutating func skip(to sequence: UInt64, term: UInt64) {
        position.sequence = sequence
        position.term = term
        position.changes = 0
        isSaved = false
    }

    /// Changes the position without a change of files, and saves it.
    mutating func move(to position: NodePosition) throws(DiskError) {
        self.position = position
        try save()
    }

    /// Syncs all that was applied, and writes the position.
    mutating func save() throws(DiskError) {
        for name in unsynced { try open[name]?.synchronize() }
        unsynced = []
        try file.write(position)
        isSaved = true
    }

    private mutating func apply(_ change: FileChange) throws(DiskError) {
        switch change {
        case .created(let name):
            try forget(name)
            try SegmentLog.removeIfThere(name, on: folders.disk(of: name))
            open[name] = try folders.disk(of: name).open(name, .create)
            unsynced.insert(name)
        case .wrote(let name, let place, let bytes):
            try writable(name).writeAll(bytes.span, at: place)
        case .resized(let name, let bytes): try writable(name).truncate(to: bytes)
        case .renamed(let name, let target):
            try forget(name)
            try forget(target)
            do throws(DiskError) { try folders.log.rename(name, to: target) } catch {
                // Renamed already, by an attempt that ended before it could say so.
                guard error.number == ENOENT else { throw error }
            }
        case .removed(let name):
            try forget(name)
            try SegmentLog.removeIfThere(name, on: folders.disk(of: name))
        case .copyBegan: break
        }
    }

    private mutating func writable(_ name: String) throws(DiskError) -> any DiskFile {
        unsynced.insert(name)
        if let file = open[name] { return file }
        if open.count >= Self.openFilesMax {
            for name in unsynced { try open[name]?.synchronize() }
            unsynced = [name]
            open = [:]
        }
        let file = try folders.disk(of: name).open(name, .write)
        open[name] = file
        return file
    }

    private mutating func forget(_ name: String) throws(DiskError) {
        if unsynced.remove(name) != nil { try open[name]?.synchronize() }
        open[name] = nil
    }
}

extension FileChange {
    /// The file; of a new name the one before. Empty if no file is changed.
    var name: String {
        switch self {
        case .created(let name), .wrote(let name, _, _), .resized(let name, _),
            .renamed(let name, _), .removed(let name):
            name
        case .copyBegan: ""
        }
    }
}
