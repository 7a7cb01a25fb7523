package import SensorModel

/// How a viewer wants its stream: the query of `/live` and `/events`. A value that cannot be read
/// or is out of range never refuses the stream.
package struct StreamQuery: Hashable, Sendable {
    /// 0.2…20, 1 unless the query says otherwise.
    package let rateHertz: Float
    package let resume: SubscriptionRequest.Resume?
    /// Start from the recording at that device time.
    package let at: Timestamp?
    /// Playback speed, 0…1000; 1 is real time.
    package let speed: Double

    package init(_ request: HTTPRequest) {
        let query = request.query
        let rate = query["rate"].flatMap { Float($0) } ?? 1
        rateHertz = rate.isFinite ? min(max(rate, 0.2), 20) : 1
        // A browser sends the header by itself when it comes back; it is newer than the address.
        let cursor = request.fields["last-event-id"] ?? query["after"]
        resume = cursor.flatMap { $0.isEmpty ? nil : $0 }
            .map { LogCursor($0).map { .after($0) } ?? .lost }
        at = query["at"].flatMap { Double($0) }.flatMap { Timestamp(secondsSince1970: $0) }
        let speed = query["speed"].flatMap { Double($0) } ?? 1
        self.speed = speed.isFinite ? min(max(speed, 0), 1000) : 1
    }
}
