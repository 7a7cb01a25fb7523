import SensorModel

/// Somewhere frames made of other people's values are put; what a device could not have sent is
/// counted instead, in one place for files and for pushes.
protocol FrameCollector {
    associatedtype Times: RangeExpression<Timestamp>

    var believableTimes: Times { get }
    mutating func append(_ frame: Frame)
    mutating func refuse(_ reason: String)
}

extension FrameCollector {
    mutating func addHeartRate(
        _ beatsPerMinute: Double, at time: Timestamp, rrIntervals: [UInt16] = [],
        contact: HeartRateSample.Contact = .unknown
    ) {
        do throws(SensorError) {
            let sample = try HeartRateSample(
                beatsPerMinute: beatsPerMinute, contact: contact, rrIntervals: rrIntervals)
            add(.heartRate(sample), at: time)
        } catch {
            refuse(beatsPerMinute == 0 ? "heart rate of 0" : "heart rate out of range")
        }
    }

    /// An altitude that cannot be is left out and its position kept.
    mutating func addLocation(_ fix: PositionFix, at time: Timestamp) {
        guard fix.latitude != 0 || fix.longitude != 0 else {
            // What devices write before they know.
            return refuse("position 0, 0")
        }
        var altitude = fix.altitude
        if let meters = altitude, !Location.validAltitude.contains(meters) {
            refuse("altitude out of range")
            altitude = nil
        }
        do throws(SensorError) {
            let location = try Location(
                latitude: fix.latitude, longitude: fix.longitude, altitude: altitude,
                horizontalAccuracy: fix.horizontalAccuracy,
                verticalAccuracy: fix.verticalAccuracy, speed: fix.speed, course: fix.course)
            add(.location(location), at: time)
        } catch {
            refuse("position out of range")
        }
    }

    mutating func add(_ payload: Frame.Payload, at time: Timestamp) {
        guard believableTimes.contains(time) else {
            return refuse(
                time < .earliestDeviceTime ? "time before 2000" : "time in the future")
        }
        append(Frame(sequence: .none, deviceTime: time, payload: payload))
    }

    mutating func addPressure(hectopascals: Double, at time: Timestamp) {
        guard (300...1200).contains(hectopascals) else { return refuse("pressure out of range") }
        add(.pressure(hectopascals: Float(hectopascals)), at: time)
    }

    /// - Parameters:
    ///   - battery: 0…1, anything else is unknown.
    ///   - charging: Plugged in.
    ///   - time: Of the report.
    mutating func addStatus(battery: Double?, charging: Bool, at time: Timestamp) {
        let known = battery.flatMap { (0...1).contains($0) ? $0 : nil }
        guard known != nil || charging else { return }
        let percent = known.map { UInt8(($0 * 100).rounded()) }
        add(.status(DeviceStatus(batteryPercent: percent, charging: charging)), at: time)
    }

    /// Notes are cut to what a marker may hold; an empty one is none.
    mutating func addMarker(_ text: String, at time: Timestamp) {
        let cleaned = text.cleaned(bytesMax: Limits.markerBytesMax)
        if !cleaned.isEmpty { add(.marker(cleaned), at: time) }
    }

    mutating func addSource(_ name: String, at time: Timestamp) {
        let cleaned = name.cleaned(bytesMax: Limits.sourceBytesMax)
        if !cleaned.isEmpty { add(.source(cleaned), at: time) }
    }
}

/// A position as a file says it, not yet checked.
struct PositionFix {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
    var horizontalAccuracy: Double?
    var verticalAccuracy: Double?
    var speed: Double?
    var course: Double?
}

extension String {
    /// Without control characters and spaces at the ends, cut between characters.
    func cleaned(bytesMax: Int) -> String {
        var result = ""
        var bytes = 0
        for character in self.drop(while: \.isWhitespace) {
            let isControl = character.unicodeScalars.contains {
                $0.properties.generalCategory == .control
            }
            if isControl { continue }
            bytes += character.utf8.count
            if bytes > bytesMax { break }
            result.append(character)
        }
        while result.last?.isWhitespace == true { result.removeLast() }
        return result
    }
}
