package import SensorModel

/// Collects frames made from other programs' values. It counts and drops values that a device could
/// not have sent, in the same way for files and pushes.
package protocol FrameCollector {
    associatedtype Times: RangeExpression<Timestamp>

    var believableTimes: Times { get }
    mutating func append(_ frame: Frame)
    mutating func refuse(_ reason: String)
}

extension FrameCollector {
    package mutating func addHeartRate(
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

    /// Adds a position. An impossible altitude is dropped, but the position is kept.
    package mutating func addLocation(_ fix: PositionFix, at time: Timestamp) {
        guard fix.latitude != 0 || fix.longitude != 0 else {
            // Devices write 0, 0 before they have a position.
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

    package mutating func add(_ payload: Frame.Payload, at time: Timestamp) {
        guard believableTimes.contains(time) else {
            return refuse(
                time < .earliestDeviceTime ? "time before 2000" : "time in the future")
        }
        append(Frame(sequence: .none, deviceTime: time, payload: payload))
    }

    package mutating func addPressure(hectopascals: Double, at time: Timestamp) {
        guard (300...1200).contains(hectopascals) else { return refuse("pressure out of range") }
        add(.pressure(hectopascals: Float(hectopascals)), at: time)
    }

    /// - Parameters:
    ///   - battery: 0…1; other values mean unknown.
    ///   - charging: Whether the device is plugged in.
    ///   - time: Time of the report.
    package mutating func addStatus(battery: Double?, charging: Bool, at time: Timestamp) {
        let known = battery.flatMap { (0...1).contains($0) ? $0 : nil }
        guard known != nil || charging else { return }
        let percent = known.map { UInt8(($0 * 100).rounded()) }
        add(.status(DeviceStatus(batteryPercent: percent, charging: charging)), at: time)
    }

    /// Adds a marker. Its text is cut to the maximum length; an empty one adds nothing.
    package mutating func addMarker(_ text: String, at time: Timestamp) {
        let cleaned = text.cleaned(bytesMax: Limits.markerBytesMax)
        if !cleaned.isEmpty { add(.marker(cleaned), at: time) }
    }

    package mutating func addSource(_ name: String, at time: Timestamp) {
        let cleaned = name.cleaned(bytesMax: Limits.sourceBytesMax)
        if !cleaned.isEmpty { add(.source(cleaned), at: time) }
    }
}

/// A position from another program, not yet validated.
package struct PositionFix {
    package var latitude: Double
    package var longitude: Double
    package var altitude: Double?
    package var horizontalAccuracy: Double?
    package var verticalAccuracy: Double?
    package var speed: Double?
    package var course: Double?

    package init(
        latitude: Double, longitude: Double, altitude: Double? = nil,
        horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil,
        course: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.course = course
    }
}

extension String {
    /// Returns the text without control characters and outer spaces, cut between characters.
    package func cleaned(bytesMax: Int) -> String {
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
