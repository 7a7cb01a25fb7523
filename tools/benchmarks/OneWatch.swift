import Peers
import SensorModel
import Sessions
import Simulator
import WireFormat

/// One watch's frames on their way: from the wire's bytes to the ring's, and through every
/// processor.
enum OneWatch {
    private static let frames = makeFrames()

    static var contests: [Contest] {
        [processors, state, allocations]
            + FrameReading.contests(
                "binary frame, framed and checked", allocationsMax: 0, decodeAll)
    }

    private struct WireFrame {
        let bytes: [UInt8]
        let samples: Int
    }

    /// 1 Hz position and heart rate, 100 Hz motion in batches, 20 minutes.
    private static func makeFrames() -> [WireFrame] {
        var settings = RunnerSettings()
        settings.motionRate = 100
        var runner = SimulatedRunner(seed: 3, plan: .easy(minutes: 20), settings: settings)
        var frames: [WireFrame] = []
        while let next = runner.next() {
            var bytes: [UInt8] = []
            BinaryFrame.encode(next.frame, to: &bytes)
            var samples = 0
            if case .motion(let batch) = next.frame.payload { samples = batch.samples.count }
            frames.append(WireFrame(bytes: bytes, samples: samples))
        }
        return frames
    }

    private static var samples: Int { frames.reduce(0) { $0 + $1.samples } }

    private static var processors: Contest {
        Contest(
            name: "all processors on, 100 Hz motion", unit: "µs CPU a motion sample",
            contenders: [
                .init(
                    name: "pulsecast",
                    run: {
                        let start = peers_thread_seconds()
                        consume(computed())
                        return (peers_thread_seconds() - start) * 1e6 / Double(samples)
                    }),
                .pace { $0 * 1e6 },
            ], bar: .atMost(2))
    }

    /// All frames, with a session's fresh processors.
    private static func computed() -> SessionComputation {
        var computation = SessionComputation(profile: RunnerProfile())
        var events: [StreamEvent] = []
        apply(frames[...], to: &computation, &events)
        consume(events.count)
        return computation
    }

    /// What a session's processors hold after 20 minutes, in place and on the heap.
    private static var state: Contest {
        Contest(
            name: "all processors on, after 20 minutes", unit: "KiB of state",
            contenders: [
                .init(
                    name: "pulsecast",
                    run: {
                        let before = peers_heap_bytes()
                        let computation = computed()
                        let heap = Double(peers_heap_bytes()) - Double(before)
                        consume(computation)
                        let inPlace = MemoryLayout<SessionComputation>.size
                        return (heap + Double(inPlace)) / 1024
                    })
            ], bar: .atMost(64))
    }

    /// In the second half: the state has its size by then. Events are the output, at most a few a
    /// second, and are let go of as they are in the daemon.
    private static var allocations: Contest {
        Contest(
            name: "all processors on, steady state", unit: "allocations a motion sample",
            contenders: [
                .init(
                    name: "pulsecast",
                    run: {
                        var computation = SessionComputation(profile: RunnerProfile())
                        var events: [StreamEvent] = []
                        let half = frames.count / 2
                        apply(frames[..<half], to: &computation, &events)
                        let before = peers_allocations()
                        apply(frames[half...], to: &computation, &events)
                        let made = peers_allocations() - before
                        let counted = frames[half...].reduce(0) { $0 + $1.samples }
                        return Double(made) / Double(counted)
                    })
            ], bar: .atMost(0.05))
    }

    private static func decodeAll() -> Int {
        var good = 0
        for frame in frames {
            let bytes = frame.bytes.span
            guard let length = try? BinaryFrame.byteCount(at: bytes), length == bytes.count,
                let header = try? BinaryFrame.header(of: bytes)
            else { continue }
            do {
                try FrameValidation.check(
                    header, payload: bytes.extracting(Limits.frameHeaderBytes...),
                    arrivalTime: header.deviceTime, recorded: true)
                good += 1
            } catch { continue }
        }
        precondition(good == frames.count, "a frame was refused")
        return good
    }

    private static func apply(
        _ frames: ArraySlice<WireFrame>, to computation: inout SessionComputation,
        _ events: inout [StreamEvent]
    ) {
        for frame in frames {
            let bytes = frame.bytes.span
            guard let header = try? BinaryFrame.header(of: bytes) else { continue }
            try? computation.apply(
                frame: header, payload: bytes.extracting(Limits.frameHeaderBytes...),
                arrival: header.deviceTime, into: &events)
            events.removeAll(keepingCapacity: true)
        }
    }
}
