import SensorModel
import Sharing

/// A message sent to a viewer with the state at that moment; judged once the log is readable up to
/// it.
struct Delivery {
    let message: SentMessage
    let json: [UInt8]
    /// The newest record that the message tells of.
    let offset: RecordOffset
    let share: Share
    let privacy: PrivacySettings
    let now: Timestamp
    /// The log's end.
    let end: RecordOffset
    /// Whether the clock was changed lately: the age of data is then unknown.
    let isClockTouched: Bool
    /// Whether the clock was changed at any time before.
    let wasClockTouched: Bool
    /// End of the log when the clock was last set back: earlier records are older than they say.
    let stepEnd: RecordOffset
    /// Whether records of its session were removed; known when it is judged. Totals then have
    /// another start, and records that decided on the finish may be missing.
    var hasLost = false

    /// The settings if they hide anything from the share.
    var hiding: PrivacySettings? {
        guard share.hidesPlaces, !privacy.hidesNothing else { return nil }
        var settings = privacy
        if !isFinishJudged { settings.trimFinishMeters = 0 }
        return settings
    }

    /// If the clock jumped between two records, no record tells what had been released before.
    var isFinishJudged: Bool { !wasClockTouched && !hasLost || privacy.trimFinishMeters <= 0 }
}

extension Reference {
    /// - Returns: A description of the fault; `nil` if there is none.
    func complaint(about sent: Delivery, _ sights: [Sight]) -> String? {
        guard let place = place(of: sent.offset), devices[place.session] == sent.share.device else {
            return complaintWithoutRecord(about: sent)
        }
        let complaint = complaint(about: sent, of: place.session, at: place.index, sights)
        if complaint != nil, sent.hasLost, isRight(sent, without: place) { return nil }
        guard complaint != nil, sent.message.type == "snapshot", let hiding = sent.hiding else {
            return complaint
        }
        // Its cursor may be the record number of another session: the one shown next, or a parallel
        // one. The end of a view takes a number that is free in its own session only.
        let isOther = sessions.contains { session, records in
            guard session != place.session, devices[session] == sent.share.device,
                let index = records.lastIndex(where: { $0.offset <= sent.offset })
            else { return false }
            let sights = self.sights(of: session, hiding: hiding)
            return self.complaint(about: sent, of: session, at: index, sights) == nil
        }
        return isOther ? nil : complaint
    }

    /// Whether the message is right for a reader that lacks records of the session: the first ones,
    /// so that the track starts later, or some after those that an index has read.
    private func isRight(_ sent: Delivery, without place: (session: SessionID, index: Int)) -> Bool
    {
        guard let settings = sent.hiding, let records = sessions[place.session] else {
            return false
        }
        for first in 0..<max(1, place.index) {
            for next in first + 1...max(1, place.index) {
                let gone = Array(
                    repeating: Sight(isVisible: false, elapsedSeconds: 0, distanceMeters: 0),
                    count: next - first)
                let kept = sights(
                    of: Array(records[..<first] + records[next...]), hiding: settings,
                    isStartLost: first == 0)
                let sights = Array(kept[..<first]) + gone + Array(kept[first...])
                if complaint(about: sent, of: place.session, at: place.index, sights) == nil {
                    return true
                }
            }
        }
        return false
    }

    private func complaint(
        about sent: Delivery, of session: SessionID, at index: Int, _ sights: [Sight]
    ) -> String? {
        guard let records = sessions[session] else { return "a session without records" }
        let record = records[index]
        if sent.hiding == nil, sent.message.type == "snapshot" {
            return complaintWithoutRecord(about: sent)
        }
        // The end of a view has its own numbers, which may equal those of hidden records.
        let tellsEnd = sent.message.type == "end" || sent.message.isOver
        if sent.hiding != nil, tellsEnd, sent.message.position == nil, !record.isEnd { return nil }
        if isTooYoung(record, for: sent) {
            return "something \(sent.now.seconds(since: record.arrival)) s old"
        }
        if let position = sent.message.position {
            let isShown = records.indices[...index].reversed().contains {
                guard sights[$0].isVisible, let recorded = records[$0].metrics?.position else {
                    return false
                }
                return recorded.isWritten(as: position)
            }
            guard isShown else { return "a position that is hidden" }
        }
        guard let settings = sent.hiding else { return nil }
        return complaint(about: sent, at: index, of: records, sights, settings)
    }

    /// If nothing is hidden, a snapshot carries the device's newest record number, of any record.
    private func complaintWithoutRecord(about sent: Delivery) -> String? {
        guard let position = sent.message.position else { return nil }
        guard sent.hiding == nil, sent.message.type == "snapshot" else {
            return "a position that no record holds"
        }
        let sources = [sessions, latched].joined()
            .filter { devices[$0.key] == sent.share.device }.flatMap(\.value)
            .filter { record in
                record.offset <= sent.offset
                    && record.metrics?.position.map { $0.isWritten(as: position) } ?? false
            }
        if sources.isEmpty { return "a position that no record holds" }
        return sources.allSatisfy { isTooYoung($0, for: sent) } ? "a young position" : nil
    }

    private func isTooYoung(_ record: Record, for sent: Delivery) -> Bool {
        // A record with a future arrival time came before the clock was set back.
        !sent.isClockTouched && sent.share.delaySeconds > 0 && record.offset >= sent.stepEnd
            && record.arrival <= sent.now
            && sent.now.seconds(since: record.arrival) < Double(sent.share.delaySeconds) - 1e-6
    }

    private func complaint(
        about sent: Delivery, at index: Int, of records: [Record], _ sights: [Sight],
        _ settings: PrivacySettings
    ) -> String? {
        let message = sent.message
        if message.type == "event", !sights[index].isVisible, !records[index].isCallForHelp {
            return "an event of where the runner is hidden"
        }
        if !sights[index].isVisible, message.hasHeartRate, !settings.showsHeartRate {
            return "a hidden heart rate"
        }
        // A delayed share's snapshot may have the cursor at which its next session is to begin.
        let isAhead = message.type == "snapshot" && sent.share.delaySeconds > 0
        guard sent.isFinishJudged, !isAhead else { return nil }
        let seen = sights.indices[...index].reversed().lazy.filter { sights[$0].isVisible }
        if message.type != "event", !sent.hasLost, let elapsed = message.elapsedSeconds,
            elapsed != 0,
            !seen.contains(where: { abs(sights[$0].elapsedSeconds - elapsed) < 0.0501 })
        {
            return "\(elapsed) s, with hidden ones"
        }
        if message.type != "event", !sent.hasLost, let distance = message.distanceMeters,
            distance != 0,
            !seen.contains(where: { abs(sights[$0].distanceMeters - distance) < 0.0501 })
        {
            return "\(distance) m, with hidden ones"
        }
        // A snapshot without values tells only a record number.
        let isEmpty = message.type == "snapshot" && message.elapsedSeconds == nil
        guard settings.trimFinishMeters > 0, !records[index].isCallForHelp, !isEmpty else {
            return nil
        }
        let isReleased = sights[index].release.map { $0.at <= sent.now } ?? false
        return isReleased ? nil : "what may be the finish"
    }
}

extension PositionMetric {
    fileprivate func isWritten(as degrees: (latitude: Double, longitude: Double)) -> Bool {
        abs(latitude - degrees.latitude) < 1.5e-7 && abs(longitude - degrees.longitude) < 1.5e-7
    }
}
