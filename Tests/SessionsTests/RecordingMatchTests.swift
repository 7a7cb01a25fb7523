import Glibc
import MutatedBytes
import SensorModel
import Sessions
import Testing

/// Tests whether a file and a session are found to be one run.
struct RecordingMatchTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    /// A run of ten minutes with a sample of each sensor a second, on a seeded path.
    private static func run(
        seed: UInt64, _ kinds: Set<FrameKind>, at start: Timestamp = start, seconds: Int = 600
    ) throws -> [Frame] {
        var random = SeededGenerator(seed: seed)
        var (north, east, rate) = (0.0, 0.0, 120.0)
        var frames: [Frame] = []
        for second in 0..<seconds {
            let way = 2 + Double.random(in: -1...1, using: &random)
            // Each seed runs in a different direction.
            north += way * cos(Double(seed))
            east += way * sin(Double(seed)) + .random(in: -1...1, using: &random)
            rate = min(max(rate + Double.random(in: -2...2, using: &random), 90), 180)
            let location = try Location(
                latitude: 48 + north / 111_195, longitude: 11 + east / 74_000)
            let axes = (0..<3).map { _ in Float.random(in: -2...2, using: &random) }
            let batch = MotionBatch(
                traits: [], intervalMicroseconds: 0,
                samples: [MotionSample(acceleration: SIMD3(axes[0], axes[1], axes[2]))])
            let values: [(FrameKind, Frame.Payload)] = [
                (.location, .location(location)), (.motion, .motion(batch)),
                (.heartRate, .heartRate(try HeartRateSample(beatsPerMinute: rate.rounded()))),
            ]
            let time = start.advanced(bySeconds: Double(second))
            for (kind, payload) in values where kinds.contains(kind) {
                frames.append(Frame(sequence: .none, deviceTime: time, payload: payload))
            }
        }
        return frames
    }

    private static func isSame(_ file: [Frame], _ session: [Frame]) -> Bool {
        var match = RecordingMatch(file)
        for frame in session { match.note(frame) }
        return match.isSameRun
    }

    private static let sensors: [Set<FrameKind>] = [
        [.location], [.motion], [.heartRate], [.location, .motion, .heartRate],
    ]

    @Test(arguments: sensors)
    func `A run is the same when it is cut, sent twice, or a second late`(
        kinds: Set<FrameKind>
    ) throws {
        for seed in UInt64(1)...20 {
            let session = try Self.run(seed: seed, kinds)
            #expect(Self.isSame(session, session))
            #expect(Self.isSame(Array(session.dropFirst(session.count / 3)), session))
            #expect(Self.isSame(session, Array(session.prefix(session.count / 2))))
            for seconds in [-1.0, 1.0] {
                let late = Self.start.advanced(bySeconds: seconds)
                #expect(Self.isSame(try Self.run(seed: seed, kinds, at: late), session))
            }
        }
    }

    @Test(arguments: sensors)
    func `Different runs at the same time are not the same`(kinds: Set<FrameKind>) throws {
        let runs = try (UInt64(1)...12).map { try Self.run(seed: $0, kinds) }
        for (index, one) in runs.enumerated() {
            for other in runs[(index + 1)...] { #expect(!Self.isSame(one, other)) }
        }
    }

    @Test func `What has no sensor in common is not called the same`() throws {
        let session = try Self.run(seed: 1, [.heartRate])
        #expect(!Self.isSame(try Self.run(seed: 1, [.location]), session))
        #expect(!Self.isSame([], session) && !Self.isSame(session, []))
    }

    /// A phone and a watch: different receivers and heart rates, one runner.
    @Test func `Two receivers of one runner are the same run`() throws {
        let session = try Self.run(seed: 3, [.location])
        var random = SeededGenerator(seed: 9)
        let beside = try session.map { frame in
            guard case .location(let at) = frame.payload else { return frame }
            let off = Double.random(in: -12...12, using: &random) / 111_195
            var moved = frame
            moved.payload = .location(
                try Location(latitude: at.latitude + off, longitude: at.longitude))
            return moved
        }
        #expect(Self.isSame(beside, session))
    }

    @Test func `A run counts once beside those that cover it`() {
        func times(_ from: Double, _ to: Double) -> ClosedRange<Timestamp> {
            Self.start.advanced(bySeconds: from)...Self.start.advanced(bySeconds: to)
        }
        let runs = [
            times(0, 3600), times(10, 3500), times(1, 3601), times(3000, 6600), times(7000, 7000),
            times(7000, 7600), times(90_000, 93_600),
        ]
        let once = RunOverlap.once(runs) { $0 }
        #expect(
            once == [times(90_000, 93_600), times(7000, 7600), times(3000, 6600), times(0, 3600)])
        #expect(RunOverlap.share(times(0, 10), times(5, 30)) == 0.5)
        #expect(RunOverlap.share(times(0, 10), times(11, 30)) == 0)
    }
}
