/// Assigns versioned names to files, to each after the files that it refers to.
struct AssetVersions {
    let sources: [String: [UInt8]]
    private(set) var names: [String: String] = [:]

    init(sources: [String: [UInt8]]) {
        self.sources = sources
    }

    /// Files may not refer to each other in a cycle, because none could have its hash first.
    mutating func asset(named name: String) -> PageAsset {
        let bytes = resolved(sources[name] ?? [])
        let versioned = Self.versioned(name, bytes: bytes)
        names[name] = versioned
        return PageAsset(
            name: versioned, contentType: Self.contentType(of: name), bytes: bytes,
            headers: [("Cache-Control", "public, max-age=31536000, immutable")])
    }

    /// All files that `names` need at once, each before those that need it.
    func closure(of names: [String]) -> [String] {
        var found: [String] = []
        for name in names where !found.contains(name) {
            let inner = PageTemplate(source: sources[name] ?? [])
                .references(includingDeferred: false)
            let needed = closure(of: inner.filter { sources[$0] != nil })
            found += needed.filter { !found.contains($0) } + [name]
        }
        return found
    }

    private mutating func resolved(_ source: [UInt8]) -> [UInt8] {
        let template = PageTemplate(source: source)
        for reference in template.references()
        where names[reference] == nil && sources[reference] != nil {
            _ = asset(named: reference)
        }
        return template.filled(reference: { names[$0] }, placeholder: { _ in nil })
    }

    /// The versioned name: `live.js` becomes `live.0123456789ab.js`.
    private static func versioned(_ name: String, bytes: [UInt8]) -> String {
        // FNV-1a distinguishes versions; a deliberate collision would gain nothing.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let digits = String(hash >> 16, radix: 16)
        let padded = String(repeating: "0", count: 12 - digits.count) + digits
        let stem = name.prefix { $0 != "." }
        return "\(stem).\(padded)\(name.dropFirst(stem.count))"
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}
