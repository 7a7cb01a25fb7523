public import SensorModel

/// Converts the JSON of one connection to headers and payloads of the binary form.
///
/// A line, or a WebSocket text message, holds one object or an array of objects:
///
///     decoder.begin()
///     while let frame = try decoder.next(in: line, payload: &payload, …) { … }
///
/// After a refusal `next` continues with the next object, if there is one.
public struct TextDecoder: Sendable {
    private enum Place {
        case start
        /// In an array, after a value.
        case following
        case done
    }

    private let names = JSONFieldNames.all
    private var scanner = JSONScanner()
    private var place = Place.done
    private var fields = JSONFields()
    /// The source of this connection's heart rates, as last returned.
    private var source: [UInt8] = []
    /// The source at the end of the last text that was read to its end.
    private var confirmedSource: [UInt8] = []
    private var sourceIsNew = false
    /// The heart rate to return next, after its source.
    private var waitingHeader: FrameHeader?
    private var waitingPayload: [UInt8] = []

    public init() {}

    /// Starts a new line or message, or restarts one that was not read to its end.
    ///
    /// A restarted text returns the same frames again.
    public mutating func begin() {
        if sourceIsNew {
            source = confirmedSource
            sourceIsNew = false
        }
        scanner.position = 0
        place = .start
        waitingHeader = nil
    }

    /// Returns the next frame; a heart rate with a new `source` becomes two frames, first the
    /// source.
    ///
    /// - Parameters:
    ///   - text: The same bytes from `begin()` until the result is `nil`.
    ///   - payload: Emptied, then receives the frame's payload; reuse it, so that it grows only
    ///     once.
    ///   - arrivalTime: The daemon's clock at the text's arrival.
    ///   - recorded: The flag in the hello.
    /// - Returns: `nil` at the end of the text.
    /// - Throws: ``RefusedFrame`` for one object; the next call continues after it.
    public mutating func next(
        in text: Span<UInt8>, payload: inout [UInt8], arrivalTime: Timestamp, recorded: Bool
    ) throws(RefusedFrame) -> TextFrame? {
        if let header = waitingHeader {
            waitingHeader = nil
            swap(&payload, &waitingPayload)
            return .frame(header, heartRateDropped: false)
        }
        do {
            guard try nextObject(text) else {
                confirmSource()
                return nil
            }
        } catch {
            throw RefusedFrame(refusal: error)
        }
        var sequence = FrameSequence.none
        do {
            // A hello has no number; its `seq` is ignored.
            if !fields.has(.seq) || !TextFields.isText(.type, "hello", fields, text) {
                sequence = try TextFields.sequence(fields)
            }
            return try frame(sequence, text, &payload, arrivalTime, recorded)
        } catch {
            throw RefusedFrame(refusal: error, sequence: sequence)
        }
    }

    private mutating func confirmSource() {
        guard sourceIsNew else { return }
        confirmedSource = source
        sourceIsNew = false
    }

    private mutating func setSource(_ name: [UInt8]) {
        source = name
        sourceIsNew = true
    }

    /// Decodes the payload of a binary hello.
    ///
    /// - Throws: ``FrameRefusal`` if the object is no hello.
    public static func hello(in json: Span<UInt8>) throws(FrameRefusal) -> Hello {
        var decoder = TextDecoder()
        decoder.begin()
        guard try decoder.nextObject(json), decoder.place == .done else { throw .notAnObject }
        // The frame's kind already says that it is a hello.
        guard
            !decoder.fields.has(.type)
                || TextFields.isText(.type, "hello", decoder.fields, json)
        else { throw .unknownType }
        return try TextFields.hello(decoder.fields, json)
    }

    /// Reads the next object into `fields`.
    ///
    /// - Returns: `false` at the end.
    private mutating func nextObject(_ text: Span<UInt8>) throws(FrameRefusal) -> Bool {
        guard let inArray = try enter(text) else { return false }
        // Decoding cannot continue after JSON that cannot be read.
        place = .done
        guard scanner.peek(text) == UInt8(ascii: "{") else {
            try scanner.skipValue(text)
            try leave(inArray, text)
            throw .notAnObject
        }
        try fields.parse(&scanner, text, names: names)
        try leave(inArray, text)
        return true
    }

    /// Moves to the next value.
    ///
    /// - Returns: Whether it is an element of an array; `nil` if there is none.
    private mutating func enter(_ text: Span<UInt8>) throws(FrameRefusal) -> Bool? {
        let before = place
        place = .done
        switch before {
        case .done: return nil
        case .start:
            guard let byte = scanner.peek(text) else { return nil }
            guard byte == UInt8(ascii: "[") else { return false }
            scanner.position += 1
            if scanner.peek(text) == UInt8(ascii: "]") { return try leaveArray(text) }
            return true
        case .following:
            if scanner.peek(text) == UInt8(ascii: "]") { return try leaveArray(text) }
            try scanner.expect(UInt8(ascii: ","), in: text)
            return true
        }
    }

    private mutating func leaveArray(_ text: Span<UInt8>) throws(FrameRefusal) -> Bool? {
        scanner.position += 1
        try leave(false, text)
        return nil
    }

    @inline(__always)
    private mutating func leave(_ inArray: Bool, _ text: Span<UInt8>) throws(FrameRefusal) {
        if inArray {
            place = .following
        } else if scanner.peek(text) != nil {
            throw .notJSON
        }
    }

    private mutating func frame(
        _ sequence: FrameSequence, _ text: Span<UInt8>, _ payload: inout [UInt8],
        _ arrivalTime: Timestamp, _ recorded: Bool
    ) throws(FrameRefusal) -> TextFrame {
        let kind = try TextFields.kind(fields, text)
        if kind == .hello { return .hello(try TextFields.hello(fields, text)) }
        let time =
            kind == .heartRate
            ? try TextFields.heartRateTime(fields, text) : try TextFields.time(fields)
        try FrameValidation.checkDeviceTime(
            time, lastsMicroseconds: 0, arrivalTime: arrivalTime, recorded: recorded)
        let header = FrameHeader(kind: kind, sequence: sequence, deviceTime: time)
        if kind == .exactMotion {
            let dropped = try TextFields.motion(fields, &payload)
            return .frame(header, heartRateDropped: dropped)
        }
        payload.removeAll(keepingCapacity: true)
        try TextFields.append(kind, fields, text, &payload)
        if kind == .source { setSource(payload) }
        if kind == .heartRate, let named = try TextFields.source(fields, text), named != source {
            return announce(named, before: header, &payload)
        }
        return .frame(header, heartRateDropped: false)
    }

    /// Returns the source before its heart rate; only the heart rate has the frame's number.
    private mutating func announce(
        _ named: [UInt8], before header: FrameHeader, _ payload: inout [UInt8]
    ) -> TextFrame {
        setSource(named)
        waitingHeader = header
        waitingPayload.removeAll(keepingCapacity: true)
        waitingPayload.append(contentsOf: payload)
        payload.removeAll(keepingCapacity: true)
        payload.append(contentsOf: named)
        return .frame(
            FrameHeader(kind: .source, sequence: .none, deviceTime: header.deviceTime),
            heartRateDropped: false)
    }
}
