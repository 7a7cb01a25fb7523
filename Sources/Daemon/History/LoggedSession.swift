import SegmentLog

/// A session as the log's index knows it; the registry has a type of the same name for its rows.
typealias LoggedSession = SessionSummary
