import Bytes
import SensorModel

extension JSONWriter {
    mutating func append(_ point: SessionPoint) {
        seconds("time", point.time)
        number("latitude", point.latitude, decimals: 7)
        number("longitude", point.longitude, decimals: 7)
        number("altitude", point.altitudeMeters, decimals: 2)
        number("horizontalAccuracy", point.horizontalAccuracyMeters, decimals: 1)
        number("heartRate", point.heartRate, decimals: 1)
        number("cadence", point.cadence, decimals: 2)
        string("cadenceSource", point.cadenceSource)
        number("power", point.powerWatts, decimals: 1)
        integer("steps", point.steps.map { Int64($0) })
        number("distanceMeters", point.distanceMeters, decimals: 2)
        number("speed", point.speedMetersPerSecond, decimals: 3)
        bool("paused", point.paused)
    }

    mutating func append(_ lap: RecordedLap) {
        string("type", "lap")
        seconds("start", lap.start)
        seconds("end", lap.end)
        number("timerSeconds", lap.timerSeconds, decimals: 3)
        number("distanceMeters", lap.distanceMeters, decimals: 2)
        number("averageHeartRate", lap.averageHeartRate, decimals: 1)
    }

    mutating func append(_ split: SessionSplit) {
        string("type", "split")
        seconds("time", split.time)
        let unit = split.split.unit == .kilometer ? "km" : "mile"
        integer(unit, Int64(split.split.number))
        number("seconds", split.split.seconds, decimals: 3)
        number("averageHeartRate", split.split.averageHeartRate, decimals: 1)
        number("elevationMeters", split.split.elevationMeters, decimals: 2)
    }

    mutating func append(_ pause: RecordedPause) {
        string("type", "pause")
        seconds("start", pause.start)
        seconds("end", pause.end)
        bool("automatic", pause.automatic)
    }
}
