import Bytes
import SegmentLog
import SensorModel

/// Sessions in pages, newest first.
extension SessionIndex {
    /// - Parameters:
    ///   - owner: Owner of the sessions.
    ///   - end: Sessions that began before this record.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: Length of the page; the search continues for one more.
    ///   - asked: Sessions whose entries are up to date.
    /// - Returns: Sessions, newest first; and those whose summaries the page needs from the log.
    func page(
        of owner: SessionCatalog.Owner, before end: UInt64, since: Timestamp?, limit: Int,
        besides asked: Set<SessionID>
    ) -> (page: [SessionSummary], changing: [Entry]) {
        var page: [SessionSummary] = []
        var changing: [Entry] = []
        visit(owner, before: end) { entry in
            if isChanging(entry.session), !asked.contains(entry.session) {
                changing.append(entry)
                return page.count + changing.count <= limit
            }
            guard let summary = entry.summary else { return true }
            if let since {
                // A device's clock is at most a day ahead of arrival.
                guard summary.arrivalTimes.lowerBound.advanced(bySeconds: 86_400) >= since
                else { return false }
                guard summary.startTime >= since else { return true }
            }
            page.append(summary)
            return page.count + changing.count <= limit
        }
        return (page, changing)
    }

    /// Visits sessions, newest first, until `body` returns `false`.
    func visit(
        _ owner: SessionCatalog.Owner, before end: UInt64, _ body: (Entry) -> Bool
    ) {
        switch owner {
        case .anybody:
            for entry in entries[..<place(of: end)].reversed() where !body(entry) { return }
        case .device(let device):
            let own = byDevice[device] ?? []
            for offset in own[..<own.partitioningIndex { $0 >= end }].reversed()
            where !body(entries[place(of: offset)]) { return }
        case .nobody(let registered):
            let offsets = byDevice.filter { !registered.contains($0.key) }.values.joined()
            for offset in offsets.filter({ $0 < end }).sorted().reversed()
            where !body(entries[place(of: offset)]) { return }
        }
    }
}
