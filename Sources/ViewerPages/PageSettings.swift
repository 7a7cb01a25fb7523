/// Settings of the pages.
public struct PageSettings: Hashable, Sendable {
    /// Address of map tiles, as `https://tiles.example/{z}/{x}/{y}.png`; `nil`: the route is drawn
    /// on plain ground. A tile server learns the runner's position.
    public var tileTemplate: String?
    /// Credit of the map's authors, as its licence requires.
    public var tileAttribution: String = ""
    /// Public address of the daemon, as `https://run.example`; link previews need it for their
    /// picture. `nil`: previews have none.
    public var publicURL: String?
    /// Sites that may show the overlay in a frame, as in `frame-ancestors` of a content security
    /// policy.
    public var overlayFrameAncestors: String = "'self'"

    public init() {}

    /// Scheme, host and port of the tile server; `nil` without one or for an invalid address.
    var tileOrigin: String? {
        guard let tileTemplate, let schemeEnd = tileTemplate.range(of: "://") else { return nil }
        let scheme = tileTemplate[..<schemeEnd]
        guard scheme == "https" || scheme == "http" else { return nil }
        let rest = tileTemplate[tileTemplate.index(schemeEnd, offsetBy: 3)...]
        let host = rest.prefix { $0 != "/" }
        let allowed = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        return host.isEmpty || !allowed ? nil : "\(scheme)://\(host)"
    }
}

extension String {
    /// The start of the first occurrence of `text`.
    fileprivate func range(of text: String) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}
