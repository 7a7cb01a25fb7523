import Foundation

/// The recordings beside the repository, in a fixed order.
struct Recordings {
    let folder: URL

    var isThere: Bool { !entries("fit").isEmpty && !entries("open").isEmpty }

    /// - Parameters:
    ///   - all: Whether to return all, instead of at least one of each data set.
    ///   - seed: Seed of the selection.
    /// - Returns: Paths of valid recordings.
    func sound(all: Bool, seed: UInt64) -> [String] {
        let sets =
            [entries("fit")] + entries("open").map { entries("open/" + $0.lastPathComponent) }
        if all { return sets.joined().map(\.path) }
        var random = Seeded(seed)
        var chosen = sets.compactMap { $0.randomElement(using: &random) }
        let rest = sets.joined().filter { !chosen.contains($0) }
        chosen += rest.shuffled(using: &random).prefix(max(0, 12 - chosen.count))
        return chosen.map(\.path)
    }

    /// - Parameters:
    ///   - all: Whether to return all, instead of a few.
    ///   - seed: Seed of the selection.
    /// - Returns: Paths of recordings that are hard to process.
    func hostile(all: Bool, seed: UInt64) -> [String] {
        let every = entries("fit-hostile") + entries("gpx-tcx")
        if all { return every.map(\.path) }
        var random = Seeded(seed)
        return every.shuffled(using: &random).prefix(8).map(\.path)
    }

    private func entries(_ name: String) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles)
        return (found ?? []).filter { $0.pathExtension != "txt" }
            .sorted { $0.path < $1.path }
    }
}
