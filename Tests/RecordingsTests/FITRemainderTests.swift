import MutatedBytes
import SensorModel
import Testing

@testable import Recordings

/// The unknown content of a FIT file survives import and export.
@Suite struct FITRemainderTests {
    /// 2025-11-21T04:40:00Z by FIT's clock.
    private static let second: UInt32 = 1_132_634_400

    private static func read(_ bytes: [UInt8]) throws -> Recording {
        try Recording.read(name: "a.fit", contents: .file(bytes))
    }

    private static func session(of recording: Recording) -> RecordedSession {
        var builder = RecordedSessionBuilder(id: SessionID(high: 1, low: 1), device: "wrist")
        for frame in recording.frames { builder.take(frame) }
        return builder.finish()
    }

    private static func export(_ session: RecordedSession) -> [UInt8] {
        var export = SessionExport(format: .fit, session: session)
        export.finish()
        return export.takeBytes()
    }

    /// Each value of a file by message and field, without those of our own writer.
    private static func values(
        _ bytes: [UInt8], without ownDeveloper: UInt8? = nil
    ) throws -> [String: [[UInt8]]] {
        var decoder = FITDecoder(bytes)
        var values: [String: [[UInt8]]] = [:]
        while let message = try decoder.next() {
            for field in FITRemainder(message, ownDeveloper: ownDeveloper).fields {
                let name = "\(message.number).\(field.isDeveloper ? "d" : "")\(field.number)"
                values[name, default: []].append(Array(field.bytes))
            }
        }
        return values
    }

    private static func time(_ second: Int) -> FITField {
        FITField(253, .uint32, Double(Self.second) + Double(second))
    }

    /// A run as written by a current watch.
    private static func watch(records: Int = 30) -> [UInt8] {
        var encoder = FITEncoder()
        encoder.add(
            FITProfile.fileID, local: 0,
            [FITField(0, .enum, 4), FITField(1, .uint16, 1), FITField(2, .uint16, 2697)])
        encoder.add(
            FITProfile.developerDataID, local: 1,
            [FITField(1, byteArray: Array(repeating: 7, count: 16)), FITField(3, .uint8, 0)])
        encoder.add(
            FITProfile.fieldDescription, local: 2,
            [
                FITField(0, .uint8, 0), FITField(1, .uint8, 5), FITField(2, .uint8, 0x88),
                FITField(3, text: "Leg Spring", bytes: 16),
            ])
        // Settings without a time; a device with one.
        encoder.add(2, local: 3, [FITField(1, .uint32, 3600), FITField(12, .enum, 1)])
        encoder.add(
            23, local: 4, [time(0), FITField(3, .uint32z, 12_345), FITField(10, .uint16, 3700)])
        for second in 0..<records {
            encoder.add(
                FITProfile.record, local: 5,
                [
                    time(second), FITField(0, .sint32, 5e8 + Double(second)),
                    FITField(1, .sint32, 1e8), FITField(3, .uint8, 140), FITField(4, .uint8, 85),
                    FITField(53, .uint8, 37), FITField(5, .uint32, 305 * Double(second)),
                    FITField(7, .uint16, 251), FITField(13, .sint8, 18),
                    FITField(39, .uint16, 812), FITField(41, .uint16, 2431),
                    FITField(85, .uint16, 10_721), FITField(88, .uint16, 300 + Double(second)),
                ], developerFields: [FITField(5, .float32, 9.5).developed(by: 0)])
            guard second % 10 == 9 else { continue }
            // A battery state, a manufacturer-specific message, a lap by distance.
            encoder.add(
                FITProfile.event, local: 6,
                [time(second), FITField(0, .enum, 22), FITField(1, .enum, 3)])
            encoder.add(140, local: 7, [time(second), FITField(4, .uint8, 50)])
            encoder.add(
                FITProfile.lap, local: 8,
                [
                    time(second), FITField(2, .uint32, Double(Self.second)),
                    FITField(9, .uint32, 3000), FITField(24, .enum, 2), FITField(11, .uint16, 3),
                ])
        }
        encoder.add(
            FITProfile.session, local: 9,
            [
                time(records), FITField(5, .enum, 11), FITField(9, .uint32, 9000),
                FITField(24, .uint8, 31), FITField(110, text: "Lunch walk", bytes: 20),
            ])
        encoder.add(
            FITProfile.activity, local: 10, [time(records), FITField(5, .uint32, 99)])
        return encoder.file()
    }

    @Test func `Every value of a watch's file is in the export, or said to be replaced`() throws {
        let file = Self.watch()
        let recording = try Self.read(file)
        #expect(recording.notes.isEmpty && recording.refused.isEmpty && recording.dropped.isEmpty)
        #expect(
            recording.replaced.counts == [
                "file_id.type": 1, "file_id.manufacturer": 1, "file_id.product": 1,
                "session.total_distance": 1,
            ])
        let before = try Self.values(file)
        let after = try Self.values(Self.export(Self.session(of: recording)), without: 1)
        // Positions are rounded to the wire's grid, half a semicircle.
        let elsewhere = ["0.0", "0.1", "0.2", "18.9", "20.0", "20.1"]
        for (name, values) in before where !elsewhere.contains(name) {
            let found = after[name] ?? []
            for value in values { #expect(found.contains(value), "\(name): \(value)") }
            #expect(found.count >= values.count, "\(name)")
        }
        // The watch's distance becomes a sensor's value; ours takes its field.
        #expect(after["20.7"]?.count == 30 && after["20.4"]?.count == 30)
        #expect(after["20.0"]?.count == 30 && after["20.5"]?.count == 30)
    }

    @Test func `What an export is read from it comes out of it again, and nothing is added`() throws
    {
        let first = try Self.read(Self.watch())
        let once = Self.export(Self.session(of: first))
        let second = try Self.read(once)
        #expect(second.dropped.isEmpty && second.notes.isEmpty)
        func measured(_ recording: Recording) -> [Frame] {
            recording.frames.filter { if case .measured = $0.payload { true } else { false } }
        }
        #expect(measured(first).count == 30)
        #expect(measured(second) == measured(first))
        let twice = Self.export(Self.session(of: second))
        #expect(try Self.values(twice) == Self.values(once))
    }

    @Test func `A watch's values are frames, with its name, on their grids`() throws {
        let recording = try Self.read(Self.watch(records: 1))
        var expected = MeasuredValues(source: "garmin 2697")
        for (quantity, value) in [
            (.cadence, 2 * (85 + 37.0 / 128)), (.distance, 0), (.power, 251),
            (.verticalOscillation, 0.0812), (.groundContact, 0.2431), (.strideLength, 2.1442),
        ] as [(MeasuredValues.Quantity, Double)] {
            try expected.set(quantity, to: value)
        }
        let found = recording.frames.compactMap { frame in
            if case .measured(let values) = frame.payload { values } else { nil }
        }
        #expect(found == [expected])
        // Frames of the file's rest come after the sensors'.
        let kinds = recording.frames.map { frame in
            if case .foreign = frame.payload { true } else { false }
        }
        #expect(kinds.first == false && kinds.last == true)
    }

    @Test func `Cadence on a bicycle is that of the pedals, and comes back as it was`() throws {
        var encoder = FITEncoder()
        encoder.add(
            FITProfile.record, local: 0,
            [Self.time(0), FITField(3, .uint8, 120), FITField(4, .uint8, 91)])
        encoder.add(FITProfile.session, local: 1, [Self.time(1), FITField(5, .enum, 2)])
        let recording = try Self.read(encoder.file())
        let session = Self.session(of: recording)
        #expect(session.sport == "cycling")
        #expect(session.points.first?.cadence == nil && session.points.first?.pedalCadence == 91)
        let after = try Self.values(Self.export(session), without: 0)
        #expect(after["20.4"] == [[91]])
        #expect(after["18.5"] == [[2]])
    }

    @Test func `Beats come out before their heart rate, and those of none as they were`() throws {
        var encoder = FITEncoder()
        func beats(_ milliseconds: [UInt16]) {
            encoder.add(
                FITProfile.hrv, local: 1, [FITField(0, uint16s: milliseconds, count: 5)])
        }
        func record(_ second: Int, _ rate: Double?) {
            encoder.add(
                FITProfile.record, local: 0,
                [
                    Self.time(second), FITField(0, .sint32, 5e8), FITField(1, .sint32, 1e8),
                    FITField(3, .uint8, rate),
                ])
        }
        record(0, 60)
        beats([812, 805, 799])
        beats([801, 808])
        // A value that no frame can hold keeps them waiting.
        record(1, 0)
        record(2, 75)
        beats([700, 701, 702])
        let recording = try Self.read(encoder.file())
        let session = Self.session(of: recording)
        #expect(session.beats.map(\.intervals.count) == [5])
        var decoder = FITDecoder(Self.export(session))
        var found: [Double] = []
        var seconds: [Int] = []
        while let message = try decoder.next() {
            if message.number == FITProfile.record {
                seconds.append((message.integer(253) ?? 0) - Int(Self.second))
            }
            guard message.number == FITProfile.hrv else { continue }
            seconds.append(-1)
            found += (0..<5).compactMap { message.number(0, at: $0) }
        }
        #expect(found == [812, 805, 799, 801, 808, 700, 701, 702])
        #expect(seconds == [0, 1, -1, 2, -1])
    }

    /// Known values of one kind and time are merged: the two records share it.
    @Test func `Two records of one second come out as two, each with its unknown fields`() throws {
        var encoder = FITEncoder()
        for (index, second) in [0, 1, 1, 2].enumerated() {
            encoder.add(
                FITProfile.record, local: 0,
                [
                    Self.time(second), FITField(4, .uint8, 80 + Double(index)),
                    FITField(7, .uint16, 250 + Double(index)),
                    FITField(88, .uint16, 300 + Double(index)),
                ])
        }
        let file = encoder.file()
        let after = try Self.values(Self.export(Self.session(of: try Self.read(file))), without: 0)
        let before = try Self.values(file)
        for field in ["20.253", "20.88"] {
            #expect(after[field] == before[field], "\(field)")
        }
    }

    @Test func `A hostile file cannot make many bytes of few, nor many names`() throws {
        // A message of one byte whose definition is ten times as long, and changes each time.
        var body: [UInt8] = [0x40, 0, 0, 20, 0, 2, 253, 4, 0x86, 3, 1, 2, 0]
        body += (0..<4).map { UInt8(truncatingIfNeeded: Self.second >> (8 * UInt32($0))) } + [120]
        for number in 0..<200_000 {
            let global = UInt16(truncatingIfNeeded: 1000 + number % 40_000)
            body += [0x41, 0, 0, UInt8(global & 0xFF), UInt8(global >> 8), 1]
            body += [UInt8(truncatingIfNeeded: number), 1, 2, 1, 5]
        }
        var file: [UInt8] = [12, 0x10, 0, 0]
        file += (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) }
        file += Array(".FIT".utf8) + body
        let recording = try Self.read(file + [0, 0])
        let bytes = recording.frames.reduce(0) { total, frame in
            if case .foreign(let messages) = frame.payload {
                total + messages.bytes.count
            } else {
                total
            }
        }
        #expect(bytes > 1_000_000 && bytes <= file.count)
        var remainders = FITRemainders()
        let big = FITRemainder(
            FITMessage(
                number: 300,
                layout: [
                    FITFieldLayout(
                        number: 1, developer: nil, bytes: 255, type: .byte, typeByte: 13, start: 0)
                ], bigEndian: false, bytes: Array(repeating: 1, count: 255)[...],
                compressedTime: nil))
        for _ in 0..<FITRemainders.bytesMax / 255 + 100 { remainders.add(big, at: nil) }
        let kept = remainders.merged(into: [recording.frames[0]]).reduce(0) {
            total, frame in
            if case .foreign(let messages) = frame.payload {
                total + messages.bytes.count
            } else {
                total
            }
        }
        #expect(kept <= FITRemainders.bytesMax)
        #expect(remainders.dropped.counts["message 300.field 1"] ?? 0 > 100)
        var counts = FieldCounts()
        for number in 0..<5000 { counts.add("field \(number)") }
        #expect(counts.counts.count <= 401 && counts.counts.values.reduce(0, +) == 5000)
    }

    @Test(arguments: 1...60)
    func `Whatever a device sent as another program's messages, an export is a file`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var session = Self.session(of: try Self.read(Self.watch()))
        for index in session.foreign.indices {
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let place = Int.random(
                    in: session.foreign[index].messages.bytes.indices, using: &random)
                session.foreign[index].messages.bytes[place] = UInt8.random(
                    in: 0...255, using: &random)
            }
        }
        let noise = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
        session.foreign.append(
            RecordedSession.ForeignMoment(
                time: SampleRun.start, messages: ForeignMessages(format: .fit, bytes: noise)))
        let recording = try Self.read(Self.export(session))
        #expect(recording.notes.allSatisfy { !$0.contains("Not a readable") })
        #expect(recording.locations.count == 30)
    }
}
