/// What a runner wrote about a session. Only its owner sees it: no share shows any of it.
public struct SessionNote: Hashable, Sendable {
    public static let nameCharactersMax = 80
    public static let textCharactersMax = 500
    /// Longest name and text together, in UTF-8: a character may carry any number of combining
    /// marks.
    public static let bytesMax = 4096
    /// Bytes of all notes of a device: one of 280 bytes for each day of ten years.
    public static let bytesOfDeviceMax = 1 << 20

    /// `nil`: unnamed.
    public var name: String?
    /// `nil`: none.
    public var text: String?
    /// Perceived exertion of the whole session, 1 (very light) to 10 (as hard as possible), as on
    /// Borg's CR-10 scale; `nil`: not told.
    public var exertion: Int?

    public static let exertions = 1...10

    public init(name: String? = nil, text: String? = nil, exertion: Int? = nil) {
        self.name = name
        self.text = text
        self.exertion = exertion
    }

    public var isEmpty: Bool { self == SessionNote() }

    public var bytes: Int { (name?.utf8.count ?? 0) + (text?.utf8.count ?? 0) }
}
