public import SensorModel

/// Stream events in the log's metric and event records: lossless, and byte-identical for equal
/// values.
///
/// ```
/// u8 version, u8 kind, i64 device time (µs), then the values of the kind
/// ```
///
/// Numbers have the form of ``RecordWriter/double(_:)`` and ``RecordWriter/count(_:)``. Version 2
/// adds intervals, version 3 doubted heart rates, version 4 checkpoints, and version 5 values that
/// sensors computed themselves. Each event has the earliest version that can hold it, so that an
/// older program can still read the rest.
public enum StreamEventCodec {
    public static let version = versionWithSensors
    private static let versionWithSensors: UInt8 = 5
    private static let versionWithCheckpoints: UInt8 = 4
    private static let versionWithDoubts: UInt8 = 3
    private static let versionWithIntervals: UInt8 = 2
    private static let firstVersion: UInt8 = 1

    enum Kind: UInt8 {
        case metrics = 1
        case marker = 2
        case paused = 3
        case resumed = 4
        case split = 5
        case zoneChanged = 6
        case lap = 7
        case alert = 8
        case gap = 9
        case pauseBeganCorrection = 10
        case pauseEndedCorrection = 11
        case splitCorrection = 12
        case sourceChanged = 13
        case ended = 14
        case intervalStarted = 15
        case intervalEnding = 16
        case intervalEnded = 17
        case checkpointReached = 18
    }

    /// - Parameters:
    ///   - event: Any event.
    ///   - bytes: The record's payload is appended to it.
    public static func encode(_ event: StreamEvent, to bytes: inout [UInt8]) {
        var writer = RecordWriter(bytes: [])
        swap(&writer.bytes, &bytes)
        writer.byte(earliestVersion(of: event.kind))
        writer.byte(kind(of: event.kind).rawValue)
        writer.integer(event.deviceTime.microseconds)
        write(event.kind, &writer)
        swap(&writer.bytes, &bytes)
    }

    /// - Parameter bytes: The payload of one record.
    /// - Returns: The encoded event.
    /// - Throws: ``RecordRefusal`` for bytes that no version of this code writes.
    public static func decode(_ bytes: Span<UInt8>) throws(RecordRefusal) -> StreamEvent {
        var reader = RecordReader()
        let found = try reader.byte(bytes)
        guard (firstVersion...version).contains(found) else {
            throw .unknownVersion(found)
        }
        let kind = try reader.choice(Kind.self, bytes)
        let time = Timestamp(microseconds: try reader.int64(bytes))
        let event = StreamEvent(deviceTime: time, kind: try read(kind, &reader, bytes))
        try reader.end(bytes)
        return event
    }

    private static func earliestVersion(of kind: StreamEvent.Kind) -> UInt8 {
        switch kind {
        case .metrics(let metrics)
        where !metrics.measured.isEmpty || metrics.cadence?.source != nil:
            versionWithSensors
        case .checkpointReached: versionWithCheckpoints
        case .metrics(let metrics) where metrics.course?.later.isEmpty == false:
            versionWithCheckpoints
        case .metrics(let metrics) where metrics.heartRate?.spikeSuspected == true:
            versionWithDoubts
        case .intervalStarted, .intervalEnding, .intervalEnded: versionWithIntervals
        case .metrics(let metrics) where metrics.interval != nil: versionWithIntervals
        default: firstVersion
        }
    }

    private static func kind(of kind: StreamEvent.Kind) -> Kind {
        switch kind {
        case .metrics: .metrics
        case .marker: .marker
        case .paused: .paused
        case .resumed: .resumed
        case .split: .split
        case .zoneChanged: .zoneChanged
        case .lap: .lap
        case .alert: .alert
        case .gap: .gap
        case .correction(.pauseBegan): .pauseBeganCorrection
        case .correction(.pauseEnded): .pauseEndedCorrection
        case .correction(.split): .splitCorrection
        case .sourceChanged: .sourceChanged
        case .ended: .ended
        case .intervalStarted: .intervalStarted
        case .intervalEnding: .intervalEnding
        case .intervalEnded: .intervalEnded
        case .checkpointReached: .checkpointReached
        }
    }

    private static func write(_ kind: StreamEvent.Kind, _ writer: inout RecordWriter) {
        switch kind {
        case .metrics(let metrics): MetricsCodec.write(metrics, &writer)
        case .marker(let text): writer.text(text)
        case .paused(let since, let automatic), .resumed(let since, let automatic):
            writer.integer(since.microseconds)
            writer.bool(automatic)
        case .split(let split), .correction(.split(let split)): write(split, &writer)
        case .zoneChanged(let from, let to):
            writer.optional(from) { $0.count($1) }
            writer.count(to)
        case .lap(let lap):
            writer.count(lap.number)
            writer.double(lap.seconds)
            writer.optionalDoubles([lap.distanceMeters, lap.averageHeartRate])
        case .alert(let alert): write(alert, &writer)
        case .gap(let from, let to):
            writer.integer(from.rawValue)
            writer.integer(to.rawValue)
        case .correction(.pauseBegan(let shown, let since)),
            .correction(.pauseEnded(let shown, let since)):
            writer.integer(shown.microseconds)
            writer.integer(since.microseconds)
        case .sourceChanged(let from, let to):
            writer.optional(from) { $0.text($1) }
            writer.text(to)
        case .ended: break
        case .intervalStarted(let start): write(start, &writer)
        case .intervalEnding(let number, let seconds):
            writer.count(number)
            writer.double(seconds)
        case .intervalEnded(let interval): write(interval, &writer)
        case .checkpointReached(let reached): write(reached, &writer)
        }
    }

    private static func read(
        _ kind: Kind, _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> StreamEvent.Kind {
        switch kind {
        case .metrics: return .metrics(try MetricsCodec.read(&reader, bytes))
        case .marker: return .marker(try reader.text(bytes))
        case .paused:
            return .paused(since: try time(&reader, bytes), automatic: try reader.bool(bytes))
        case .resumed:
            return .resumed(since: try time(&reader, bytes), automatic: try reader.bool(bytes))
        case .split: return .split(try split(&reader, bytes))
        case .zoneChanged:
            let from = try reader.bool(bytes) ? try reader.count(bytes) : nil
            return .zoneChanged(from: from, to: try reader.count(bytes))
        case .lap: return .lap(try lap(&reader, bytes))
        case .alert: return .alert(try alert(&reader, bytes))
        case .gap:
            return .gap(
                from: FrameSequence(rawValue: try reader.uint32(bytes)),
                to: FrameSequence(rawValue: try reader.uint32(bytes)))
        case .pauseBeganCorrection:
            return .correction(
                .pauseBegan(shown: try time(&reader, bytes), since: try time(&reader, bytes)))
        case .pauseEndedCorrection:
            return .correction(
                .pauseEnded(shown: try time(&reader, bytes), since: try time(&reader, bytes)))
        case .splitCorrection: return .correction(.split(try split(&reader, bytes)))
        case .sourceChanged:
            let from = try reader.bool(bytes) ? try reader.text(bytes) : nil
            return .sourceChanged(from: from, to: try reader.text(bytes))
        case .ended: return .ended
        case .intervalStarted: return .intervalStarted(try intervalStart(&reader, bytes))
        case .intervalEnding:
            return .intervalEnding(
                number: try reader.count(bytes), seconds: try reader.double(bytes))
        case .intervalEnded: return .intervalEnded(try interval(&reader, bytes))
        case .checkpointReached: return .checkpointReached(try checkpointReached(&reader, bytes))
        }
    }
}
