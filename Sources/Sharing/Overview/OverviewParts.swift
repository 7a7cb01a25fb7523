/// Which columns an answer has, and whether it has events: a page asks for what it draws.
public struct OverviewParts: Hashable, Sendable {
    private let columns: Set<OverviewColumn>
    let hasEvents: Bool

    private init(columns: Set<OverviewColumn>, hasEvents: Bool) {
        self.columns = columns
        self.hasEvents = hasEvents
    }

    public static let all = OverviewParts(columns: Set(OverviewColumn.allCases), hasEvents: true)
    private static let events = "events"

    /// All names, in the order of an answer.
    public static let names = OverviewColumn.allCases.map(\.name) + [events]

    /// `nil` for another name.
    ///
    /// - Parameter list: Some of ``names``, with commas between.
    public init?(_ list: String) {
        var (columns, hasEvents): (Set<OverviewColumn>, Bool) = ([], false)
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            if name == Self.events {
                hasEvents = true
            } else if let column = OverviewColumn.allCases.first(where: { $0.name == name }) {
                columns.insert(column)
            } else {
                return nil
            }
        }
        self.init(columns: columns, hasEvents: hasEvents)
    }

    func contains(_ column: OverviewColumn) -> Bool { columns.contains(column) }
}
