import SensorModel
import Sharing

extension Reference {
    /// Returns the visible part of each record of a session; `nil` settings hide nothing.
    func sights(of session: SessionID, hiding settings: PrivacySettings?) -> [Sight] {
        sights(
            of: sessions[session] ?? [], hiding: settings,
            isStartLost: hasBeginning[session] == false)
    }

    /// Returns the same for given records; `isStartLost` says that earlier ones were removed.
    func sights(
        of records: [Record], hiding settings: PrivacySettings?, isStartLost: Bool
    ) -> [Sight] {
        let releases =
            settings.map { FinishReference.releases(of: records, $0) }
            ?? records.map { FinishReference.Release(at: $0.arrival, by: $0.offset) }
        let isHidden = isHidden(records, settings, isStartLost: isStartLost)
        let continues = Self.continuations(of: records)
        let resumes = Self.resumptions(of: records)
        var isAwaited = false
        let track = TrackReference(of: records)
        var way: WayReference?
        var hasHiddenPlace = false
        var sight = Sight(isVisible: settings == nil, elapsedSeconds: 0, distanceMeters: 0)
        var lastSeen = (elapsed: 0.0, distance: 0.0)
        var unseen = (elapsed: 0.0, distance: 0.0)
        return records.indices.map { index in
            sight.release = releases[index]
            if settings != nil, continues[index] { sight.isVisible = false }
            // After a minute without anything, a live position decides first.
            isAwaited =
                settings != nil && sight.isVisible
                && (isAwaited || resumes[index] && sight.place != nil)
            guard let metrics = records[index].metrics else {
                var own = sight
                let isWithheld = isAwaited && !records[index].isOfSilence
                own.isVisible = sight.isVisible && !releases[index].isNear && !isWithheld
                return own
            }
            if let position = metrics.position {
                sight.place = (position.latitude, position.longitude)
            }
            let isShown = isHidden[index] == .no && !releases[index].isNear
            let isInside = isHidden[index] == .inside || releases[index].isNear
            if isShown, isAwaited, !records[index].isOfSilence {
                guard metrics.position?.state == .live else {
                    way?.pass(metrics)
                    var own = sight
                    own.isVisible = false
                    return own
                }
                isAwaited = false
            }
            hasHiddenPlace = hasHiddenPlace || isInside && metrics.position != nil
            if isShown {
                let total = Self.totals(metrics)
                if !sight.isVisible {
                    var (begin, start) = (index, metrics)
                    // The distance since the track's start counts if the track was never hidden.
                    if let landing = track.points[index]?.landing, settings != nil,
                        (landing...index).allSatisfy({
                            isHidden[$0] != .inside && !releases[$0].isNear
                        }), let landed = records[landing].metrics
                    {
                        (begin, start) = (landing, landed)
                    }
                    let first = Self.totals(start)
                    unseen.elapsed += first.elapsed - lastSeen.elapsed
                    unseen.distance += first.distance - lastSeen.distance
                    way = WayReference(start)
                    for passed in (begin..<index).dropFirst() {
                        if let metrics = records[passed].metrics { way?.pass(metrics) }
                    }
                    if begin < index { way?.pass(metrics) }
                } else {
                    way?.pass(metrics)
                }
                if hasHiddenPlace || unseen.distance != 0 || unseen.elapsed > 60 {
                    unseen.distance += way?.unseen ?? 0
                }
                way?.unseen = 0
                lastSeen = total
                sight.elapsedSeconds = total.elapsed - unseen.elapsed
                sight.distanceMeters = total.distance - unseen.distance
            }
            sight.isVisible = isShown
            return sight
        }
    }

    private static func totals(_ metrics: Metrics) -> (elapsed: Double, distance: Double) {
        (metrics.elapsedSeconds, metrics.distanceMeters ?? 0)
    }

    /// The reason for which a record is hidden, apart from the finish.
    private enum Hiding {
        case no
        /// No trusted track has come into view yet.
        case notInView
        /// In a zone, near a possible start of the run, or at an unknown place.
        case inside
    }

    private func isHidden(
        _ records: [Record], _ settings: PrivacySettings?, isStartLost: Bool
    ) -> [Hiding] {
        guard let settings else { return records.map { _ in .no } }
        var circles = settings.zones.map {
            HiddenCircle(
                meters: $0.radiusMeters, aroundLatitude: $0.latitude, longitude: $0.longitude,
                salt: settings.salt)
        }
        let isOpen = settings.zones.isEmpty && settings.trimStartMeters == 0
        let track = TrackReference(of: records)
        var starts: [PositionMetric] = []
        var stands: [PositionMetric] = []
        var wasInView = false
        // If only the finish is trimmed, the first position is in view.
        var isInView = isOpen
        var isStartLost = isStartLost
        // `unfixed` counts the seconds in which the watch sent no position.
        var hasFix = false
        var hasGoodFix = false
        var (unfixed, last) = (0.0, 0.0)
        var heardAt: Timestamp?
        var hiding = Hiding.notInView
        let continues = Self.continuations(of: records)
        return records.indices.map { index in
            if continues[index] {
                isStartLost = isStartLost || starts.count > 16
                (starts, wasInView, isInView) = ([], false, isOpen)
                (hasFix, hasGoodFix, unfixed, last, heardAt) = (false, false, 0, 0, nil)
                hiding = .notInView
            }
            guard let metrics = records[index].metrics else { return hiding }
            guard let place = metrics.position, let point = track.points[index] else {
                unfixed += min(max(0, metrics.elapsedSeconds - last), 10)
                last = metrics.elapsedSeconds
                if metrics.state == .live { heardAt = records[index].deviceTime }
                return hiding
            }
            if !hasFix {
                let isBack = heardAt.map { $0.seconds(since: records[index].deviceTime) > 30 }
                if unfixed > 300 || isBack ?? false { isStartLost = true }
            }
            hasFix = true
            if point.isBack { isStartLost = true }
            let isGood = !hasGoodFix && place.horizontalAccuracyMeters ?? 0 < 50
            hasGoodFix = hasGoodFix || isGood
            if point.landing == index && point.isStart || isGood, !wasInView,
                settings.trimStartMeters > 0,
                !starts.contains(where: { TrackReference.meters(place, $0) < 25 })
            {
                starts.append(place)
                circles.append(
                    HiddenCircle(
                        meters: settings.trimStartMeters, aroundLatitude: place.latitude,
                        longitude: place.longitude, salt: settings.salt))
            }
            if let stand = point.newStand, settings.trimStartMeters > 0,
                !stands.contains(where: { TrackReference.meters($0, stand) < 100 })
            {
                stands.append(stand)
                circles.append(
                    HiddenCircle(
                        meters: settings.trimStartMeters, aroundLatitude: stand.latitude,
                        longitude: stand.longitude, salt: settings.salt))
            }
            let isInside =
                (isStartLost || starts.count > 16 || stands.count > 16)
                && settings.trimStartMeters > 0
                || circles.contains {
                    $0.contains(latitude: place.latitude, longitude: place.longitude)
                }
            isInView = !isInside && !point.isLost && !point.isBack && (isInView || point.isTrusted)
            hiding =
                isInView ? .no : isInside || point.isLost || point.isBack ? .inside : .notInView
            if hiding == .no { wasInView = true }
            return hiding
        }
    }
}
