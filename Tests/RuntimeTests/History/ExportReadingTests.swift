import FaultyDisk
import Recordings
import SegmentLog
import SensorModel
import Sessions
import Testing
import WireFormat

@testable import Runtime

/// Exports that are read part by part.
@Suite struct ExportReadingTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let session = SessionID(high: 1, low: 2)
    private static let device = DeviceID(rawValue: 7)

    private let log: SegmentLog

    /// A session with a position and a heart rate a second.
    init() throws {
        log = try SegmentLog.open(
            disk: SimulatedDisk(), configuration: LogConfiguration(reserveBytes: 0),
            now: Self.start)
        for second in 0..<3000 {
            let time = Self.start.advanced(bySeconds: Double(second))
            let place = try Location(
                latitude: 48 + Double(second) / 100_000, longitude: 11, horizontalAccuracy: 4)
            let beats = try HeartRateSample(beatsPerMinute: Double(100 + second % 50))
            for payload in [Frame.Payload.location(place), .heartRate(beats)] {
                let frame = Frame(
                    sequence: FrameSequence(rawValue: UInt32(second + 1)), deviceTime: time,
                    payload: payload)
                var bytes: [UInt8] = []
                BinaryFrame.encode(frame, to: &bytes)
                let header = try BinaryFrame.header(of: bytes.span)
                _ = log.append(
                    .frame(header.kind), session: Self.session, device: Self.device,
                    sequence: header.sequence, deviceTime: time, arrivalTime: time,
                    payload: bytes.span.extracting(Limits.frameHeaderBytes...))
            }
            if second % 100 == 0 { log.syncAppended() }
        }
        log.syncAppended()
    }

    private func reading(
        _ format: ExportFormat, _ budget: ExportBudget
    ) throws -> ExportReading {
        try ExportReading(
            Self.session, as: format, device: "watch", log: log,
            reservation: budget.begin(Self.device), isCancelled: { false })
    }

    @Test(arguments: ExportFormat.allCases)
    func `The parts are the file, none is large, and what they take is given back`(
        format: ExportFormat
    ) throws {
        let budget = ExportBudget()
        var whole: [UInt8] = []
        try SessionExporter(reader: log.reader(), device: "watch").export(
            Self.session, as: format
        ) { whole += $0 }
        var parts: [[UInt8]] = []
        do {
            var reading = try reading(format, budget)
            while let part = try reading.nextPart(isCancelled: { false }) { parts.append(part) }
        }
        #expect(parts.flatMap(\.self) == whole)
        #expect(parts.allSatisfy { $0.count <= 64 << 10 })
        #expect(budget.bytes == 0)
    }

    @Test(arguments: ExportFormat.allCases)
    func `What is erased while it is exported comes no further`(format: ExportFormat) throws {
        var reading = try reading(format, ExportBudget())
        #expect(try reading.nextPart(isCancelled: { false }) != nil)
        #expect(try log.erase([Self.session]).sessions == 1)
        #expect(throws: SessionReadError.unknownSession(Self.session)) {
            try reading.nextPart(isCancelled: { false })
        }
        #expect(throws: SessionReadError.unknownSession(Self.session)) {
            try self.reading(format, ExportBudget())
        }
    }

    @Test func `An export for which there is no room is refused, and takes none`() throws {
        let budget = ExportBudget()
        let other = try budget.begin(DeviceID(rawValue: 1))
        let more = try budget.begin(DeviceID(rawValue: 2))
        #expect(other.take(ExportBudget.deviceBytesMax) == nil)
        #expect(more.take(ExportBudget.bytesMax - ExportBudget.deviceBytesMax) == nil)
        #expect(throws: ReadRefusal.busy) { try reading(.gpx, budget) }
        #expect(budget.bytes == ExportBudget.bytesMax)
    }

    @Test(arguments: ExportFormat.allCases.filter(\.readsRows))
    func `A session that no export has room for is refused for good, but for its motion`(
        format: ExportFormat
    ) throws {
        let budget = ExportBudget(deviceBytesMax: 256 << 10)
        #expect(throws: ReadRefusal.tooLong) { try reading(format, budget) }
        var motion = try reading(.motionCSV, budget)
        #expect(try motion.nextPart(isCancelled: { false }) != nil)
        #expect(budget.bytes == 0)
    }

    @Test func `An export of motion reads no record before its first part is asked for`() throws {
        var count = 0
        func isCancelled() -> Bool {
            count += 1
            return false
        }
        let reservation = try ExportBudget().begin(Self.device)
        _ = try ExportReading(
            Self.session, as: .motionCSV, device: "watch", log: log, reservation: reservation,
            isCancelled: isCancelled)
        #expect(count == 0)
    }

    @Test func `A report takes what it holds from the same budget`() throws {
        for second in 0..<3000 {
            let time = Self.start.advanced(bySeconds: Double(second))
            var metrics = Metrics()
            metrics.elapsedSeconds = Double(second)
            var bytes: [UInt8] = []
            StreamEventCodec.encode(
                StreamEvent(deviceTime: time, kind: .metrics(metrics)), to: &bytes)
            _ = log.append(
                .metric, session: Self.session, device: Self.device, sequence: .none,
                deviceTime: time, arrivalTime: time, payload: bytes.span)
            if second % 100 == 0 { log.syncAppended() }
        }
        log.syncAppended()
        for (bytesMax, isTaken) in [(64 << 20, true), (256 << 10, false)] {
            let budget = ExportBudget(bytesMax: bytesMax, deviceBytesMax: bytesMax)
            let html = try? budget.begin(Self.device).reading { hasRoom in
                try SessionReporter(reader: log.reader()).html(
                    of: Self.session, title: "watch", hasRoom: hasRoom, isCancelled: { false })
            }
            #expect((html != nil) == isTaken)
            #expect(budget.bytes == 0)
        }
    }
}
