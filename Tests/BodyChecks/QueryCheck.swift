import API
import SensorModel
import Transport

enum QueryCheck {
    static func run(_ bytes: [UInt8]) throws(Breach) {
        let text = String(decoding: bytes, as: UTF8.self)
        let items = QueryItems(text)
        let decoded = items.items.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        try expect(decoded <= text.utf8.count, "a query grows when it is decoded")
        let request = HTTPRequest(method: .get, path: "/", query: items, peer: .unixSocket)
        try checkStream(StreamQuery(request))
        do {
            let query = try HistoryQuery(items)
            try expect((1...1000).contains(query.limit), "limit \(query.limit)")
            try checkCursor(query.after?.flatMap { $0 })
        } catch { try Refusals.check(error) }
        do {
            let query = try PublicHistoryQuery(items)
            try expect((1...10_000).contains(query.limit), "limitToLast \(query.limit)")
        } catch { try Refusals.check(error) }
        do {
            try checkPage(try SessionPageQuery(request))
        } catch { try Refusals.check(error) }
    }

    private static func checkStream(_ query: StreamQuery) throws(Breach) {
        try expect((0.2...20).contains(query.rateHertz), "rate \(query.rateHertz)")
        try expect((0...1000).contains(query.speed), "speed \(query.speed)")
        if case .after(let cursor) = query.resume { try checkCursor(cursor) }
    }

    private static func checkCursor(_ cursor: LogCursor?) throws(Breach) {
        guard let cursor else { return }
        try expect(LogCursor("\(cursor)") == cursor, "another cursor is read from \(cursor)")
    }

    /// Checks that the link to the next page repeats the query's parameters.
    private static func checkPage(_ query: SessionPageQuery) throws(Breach) {
        try expect(SessionPageQuery.limits.contains(query.limit), "limit \(query.limit)")
        try checkCursor(query.before)
        let cursor = LogCursor(epoch: 7, offset: RecordOffset(rawValue: 9))
        let link = query.link(to: "/v1/sessions", after: cursor, [("device", "Ä b-1_.")])
        let target = link.dropFirst().prefix { $0 != ">" }
        let items = QueryItems(target.drop { $0 != "?" }.dropFirst())
        try expect(items["device"] == "Ä b-1_.", "the link names another device: \(link)")
        let next: SessionPageQuery
        do throws(APIRefusal) {
            next = try SessionPageQuery(
                HTTPRequest(method: .get, path: "/", query: items, peer: .unixSocket))
        } catch { throw Breach(what: "a link that is refused: \(link), \(error)") }
        try expect(next.limit == query.limit && next.before == cursor, "another page: \(link)")
        try expect(next.search == query.search, "another search: \(link)")
        // A double has no microsecond resolution after the year 2255.
        guard abs(query.since?.secondsSince1970 ?? 0) < 9e9 else { return }
        try expect(next.since == query.since, "another time: \(link)")
    }

    static let seeds = [
        "rate=2.5&after=e7-12&at=1763700000.5&speed=8", "limit=20&after=e1-5",
        "limitToLast=60&startAt=%221763700000000%22", "limit=1000&before=e4294967295-0&since=1.5",
        "search=%ED%95%9C%EA%B0%95+run%2B1&limit=3", "search=%00", "search=e%CC%81%22%3E",
        "rate=nan&speed=-inf&at=1e300&after=", "a=%C3%A4+b&&=&limit=1&limit=2",
    ]
}
