/// Which open file has which name now.
///
/// A file that is open keeps its content when another takes its name. What is written to it then
/// must not reach the other nodes under that name.
struct FilePlaces {
    private struct Place {
        var name: String?
        var handles: Int
    }

    private var places: [Int: Place] = [:]
    private var files: [String: Int] = [:]
    private var nextFile = 0

    /// - Returns: The number of the file that has the name now.
    mutating func open(_ name: String) -> Int {
        if let file = files[name] {
            places[file]?.handles += 1
            return file
        }
        nextFile += 1
        places[nextFile] = Place(name: name, handles: 1)
        files[name] = nextFile
        return nextFile
    }

    mutating func close(_ file: Int) {
        guard var place = places[file] else { return }
        place.handles -= 1
        places[file] = place.handles > 0 ? place : nil
        if place.handles == 0, let name = place.name { files[name] = nil }
    }

    /// - Returns: `nil`: the file was removed or replaced.
    func name(of file: Int) -> String? { places[file]?.name }

    mutating func remove(_ name: String) {
        guard let file = files.removeValue(forKey: name) else { return }
        places[file]?.name = nil
    }

    mutating func rename(_ name: String, to target: String) {
        remove(target)
        guard let file = files.removeValue(forKey: name) else { return }
        files[target] = file
        places[file]?.name = target
    }
}

/// The files with which a copy began, under whatever names they have now.
///
/// The copying node reads a file under the name that it had at the beginning, while the leader goes
/// on to change it. Then it applies all changes since the beginning, in order: each changed byte is
/// written once more, so the result is the leader's file, as in the recovery of a database from a
/// fuzzy backup (Mohan et al., "ARIES", 1992). That needs the same file under the name, so a file
/// that would be removed or replaced meanwhile is kept as a pinned one.
struct CopyPins {
    let number: UInt64
    /// Names at the beginning, of files that have another now.
    private var moved: [String: String] = [:]
    /// Names now, of files that have moved or are new: their names at the beginning.
    private var origins: [String: String?] = [:]
    private var pinned = 0

    init(number: UInt64) { self.number = number }

    /// - Parameter name: Name at the beginning.
    /// - Returns: The name of the same file now.
    func current(of name: String) -> String { moved[name] ?? name }

    /// Whether a file of the beginning has the name now, if any file has.
    func needs(_ name: String) -> Bool { origin(of: name) != nil }

    mutating func create(_ name: String) { origins[name] = .some(nil) }

    /// - Returns: A name that keeps the file for the copy; `nil`: no copy needs it.
    mutating func pin(_ name: String) -> String? {
        guard let origin = origin(of: name) else {
            origins[name] = .some(nil)
            return nil
        }
        pinned += 1
        let kept = "\(ClusterFiles.pinnedPrefix)\(number)-\(pinned)"
        moved[origin] = kept
        origins[name] = .some(nil)
        return kept
    }

    mutating func rename(_ name: String, to target: String) {
        let origin = origin(of: name)
        origins[name] = .some(nil)
        origins[target] = .some(origin)
        if let origin { moved[origin] = target }
    }

    private func origin(of name: String) -> String? {
        if let origin = origins[name] { return origin }
        return name
    }
}
