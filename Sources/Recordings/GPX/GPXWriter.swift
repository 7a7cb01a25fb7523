import SensorModel

/// Writes a session as GPX 1.1, with heart rate and cadence in Garmin's `TrackPointExtension`,
/// power in its `PowerExtension`, and a segment for each stretch between pauses.
enum GPXWriter {
    static func bytes(_ session: RecordedSession) -> [UInt8] {
        var text = TextBytes(capacity: session.points.count * ExportFormat.gpx.textBytesEach)
        text.add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="pulsecast" \
            xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" \
            xmlns:gpxpx="http://www.garmin.com/xmlschemas/PowerExtension/v1" \
            xsi:schemaLocation="http://www.topografix.com/GPX/1/1 \
            http://www.topografix.com/GPX/1/1/gpx.xsd \
            http://www.garmin.com/xmlschemas/TrackPointExtension/v1 \
            http://www.garmin.com/xmlschemas/TrackPointExtensionv1.xsd \
            http://www.garmin.com/xmlschemas/PowerExtension/v1 \
            http://www.garmin.com/xmlschemas/PowerExtensionv1.xsd">
            <metadata>
            """)
        text.element("name", text: session.name ?? session.device)
        text.element("time", session.start)
        text.add("</metadata>\n<trk>")
        text.element("name", text: session.name ?? session.device)
        text.element("type", text: session.sport)
        text.add("\n")
        for stretch in session.stretches {
            // A track point requires a position.
            let placed = stretch.filter { $0.latitude != nil && $0.longitude != nil }
            guard !placed.isEmpty else { continue }
            text.add("<trkseg>\n")
            for point in placed { append(point, to: &text) }
            text.add("</trkseg>\n")
        }
        text.add("</trk>\n</gpx>\n")
        return text.bytes
    }

    private static func append(_ point: SessionPoint, to text: inout TextBytes) {
        guard let latitude = point.latitude, let longitude = point.longitude else { return }
        text.add("<trkpt lat=\"")
        text.add(latitude, decimals: 7)
        text.add("\" lon=\"")
        text.add(longitude, decimals: 7)
        text.add("\">")
        text.element("ele", point.altitudeMeters, decimals: 2)
        text.element("time", point.time)
        appendExtensions(of: point, to: &text)
        text.add("</trkpt>\n")
    }

    private static func appendExtensions(of point: SessionPoint, to text: inout TextBytes) {
        // Steps of one foot, as watches write them, or turns of the pedals.
        let turns = point.cadence.map { $0 / 2 } ?? point.pedalCadence
        let hasBody = point.heartRate != nil || turns != nil
        guard hasBody || point.powerWatts != nil else { return }
        text.add("<extensions>")
        if hasBody {
            text.add("<gpxtpx:TrackPointExtension>")
            text.element("gpxtpx:hr", point.heartRate, decimals: 0)
            text.element("gpxtpx:cad", turns, decimals: 0)
            text.add("</gpxtpx:TrackPointExtension>")
        }
        if point.powerWatts != nil {
            text.add("<gpxpx:PowerExtension>")
            text.element("gpxpx:PowerInWatts", point.powerWatts, decimals: 0)
            text.add("</gpxpx:PowerExtension>")
        }
        text.add("</extensions>")
    }
}
