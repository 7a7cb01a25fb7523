import Bytes
import SensorModel

/// Writes a session as TCX: its laps, each with a track for each stretch between pauses.
enum TCXWriter {
    static func bytes(_ session: RecordedSession) -> [UInt8] {
        var text = TextBytes(capacity: session.points.count * ExportFormat.tcx.textBytesEach)
        text.add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <TrainingCenterDatabase \
            xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2" \
            xsi:schemaLocation="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2 \
            http://www.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd">
            <Activities><Activity Sport="\(sport(session.sport))">
            """)
        text.element("Id", session.start)
        text.add("\n")
        let stretches = session.stretches
        for part in session.lapParts {
            append(part, of: session, stretches: stretches, to: &text)
        }
        text.element("Notes", text: session.name)
        text.add("</Activity></Activities>\n</TrainingCenterDatabase>\n")
        return text.bytes
    }

    /// Returns the sport in TCX, which has three values.
    private static func sport(_ name: String) -> String {
        switch name {
        case "running": "Running"
        case "cycling": "Biking"
        default: "Other"
        }
    }

    private static func append(
        _ lapPart: LapPart, of session: RecordedSession,
        stretches: [ArraySlice<SessionPoint>], to text: inout TextBytes
    ) {
        let (lap, summary) = (lapPart.lap, lapPart.summary)
        text.add("<Lap StartTime=\"")
        text.add(lap.start)
        text.add("\">")
        text.element("TotalTimeSeconds", session.timerSeconds(of: lap), decimals: 3)
        text.element("DistanceMeters", summary.distanceMeters ?? 0, decimals: 2)
        text.element("MaximumSpeed", summary.maxSpeed, decimals: 3)
        text.add("<Calories>0</Calories>")
        appendHeartRate("AverageHeartRateBpm", summary.averageHeartRate, to: &text)
        appendHeartRate("MaximumHeartRateBpm", summary.maxHeartRate, to: &text)
        text.add("<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>\n")
        let first = stretches.partitioningIndex { $0.endIndex > lapPart.range.lowerBound }
        for stretch in stretches[first...].prefix(while: {
            $0.startIndex < lapPart.range.upperBound
        }) {
            let part = lapPart.range.clamped(to: stretch.indices)
            guard !part.isEmpty else { continue }
            text.add("<Track>\n")
            for index in part {
                var point = session.points[index]
                if index == stretch.endIndex - 1 {
                    point.distanceMeters = session.distanceMeters(atEndOf: stretch)
                }
                append(point, to: &text)
            }
            text.add("</Track>\n")
        }
        text.add("</Lap>\n")
    }

    private static func append(_ point: SessionPoint, to text: inout TextBytes) {
        text.add("<Trackpoint>")
        text.element("Time", point.time)
        if let latitude = point.latitude, let longitude = point.longitude {
            text.add("<Position>")
            text.element("LatitudeDegrees", latitude, decimals: 7)
            text.element("LongitudeDegrees", longitude, decimals: 7)
            text.add("</Position>")
        }
        text.element("AltitudeMeters", point.altitudeMeters, decimals: 2)
        text.element("DistanceMeters", point.distanceMeters, decimals: 2)
        appendHeartRate("HeartRateBpm", point.heartRate, to: &text)
        text.element("Cadence", point.pedalCadence, decimals: 0)
        if point.speedMetersPerSecond != nil || point.cadence != nil || point.powerWatts != nil {
            text.add("<Extensions><ns3:TPX>")
            text.element("ns3:Speed", point.speedMetersPerSecond, decimals: 3)
            // Steps of one foot, as watches write them.
            text.element("ns3:RunCadence", point.cadence.map { $0 / 2 }, decimals: 0)
            text.element("ns3:Watts", point.powerWatts, decimals: 0)
            text.add("</ns3:TPX></Extensions>")
        }
        text.add("</Trackpoint>\n")
    }

    private static func appendHeartRate(
        _ name: String, _ rate: Double?, to text: inout TextBytes
    ) {
        guard let rate else { return }
        text.add("<\(name)>")
        text.element("Value", rate, decimals: 0)
        text.add("</\(name)>")
    }
}
