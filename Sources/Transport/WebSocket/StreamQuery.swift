package import SensorModel

/// A viewer's options for its stream, from the query of `/live` and `/events`.
///
/// An unreadable or out-of-range value never refuses the stream.
package struct StreamQuery: Hashable, Sendable {
    /// 0.2…20, 1 unless the query says otherwise.
    package let rateHertz: Float
    package let resume: SubscriptionRequest.Resume?
    /// Device time in the recording to start from.
    package let at: Timestamp?
    /// Playback speed, 0…1000; 1 is real time.
    package let speed: Double

    package init(_ request: HTTPRequest) {
        let query = request.query
        let rate = query["rate"].flatMap { Float($0) } ?? 1
        rateHertz = rate.isFinite ? min(max(rate, 0.2), 20) : 1
        // A browser that reconnects sends this header by itself; it is newer than the query.
        let cursor = request.fields["last-event-id"] ?? query["after"]
        resume = cursor.flatMap { $0.isEmpty ? nil : $0 }
            .map { LogCursor($0).map { .after($0) } ?? .lost }
        at = query["at"].flatMap { Double($0) }.flatMap { Timestamp(secondsSince1970: $0) }
        let speed = query["speed"].flatMap { Double($0) } ?? 1
        self.speed = speed.isFinite ? min(max(speed, 0), 1000) : 1
    }
}
