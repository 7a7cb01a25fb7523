import NIOCore
import NIOEmbedded
import Ring
import SensorModel
import Synchronization
import Testing
import WireFormat

@testable import Transport

/// Devices that connect all at once leave the loop's time to viewers and to other devices.
@Suite struct HelloTurnsTests {
    /// Admits everybody, and needs 5 ms for each.
    private final class SlowGate: DeviceGate {
        let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
        let admitted = Mutex<[String]>([])

        func admit(_ handshake: DeviceHandshake) -> Result<AdmittedDevice, HandshakeRefusal> {
            clock.withLock { $0 = $0 + .milliseconds(5) }
            admitted.withLock { $0.append(handshake.hello.token ?? "") }
            return .success(
                AdmittedDevice(
                    device: DeviceID(rawValue: 1), tokenHash: .zero,
                    session: handshake.hello.session, recorded: false))
        }

        func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal> {
            .success(())
        }
    }

    /// One loop, whose time the test sets, and its devices.
    private final class Bench {
        let loop = EmbeddedEventLoop()
        let gate = SlowGate()
        let ring = ByteRing(capacity: 1 << 16)
        let counters = TransportCounters()
        let admission: ConnectionAdmission
        let state: LoopState
        /// Few strangers, so that one who waits as a stranger is noticed.
        let limits: ConnectionLimits = {
            var limits = ConnectionLimits()
            limits.unauthenticatedMax = 6
            return limits
        }()

        init() {
            let gate = gate
            admission = ConnectionAdmission(counters: counters)
            state = LoopState(
                eventLoop: loop,
                rings: LoopState.Rings(
                    index: 0, inbound: ring, outbound: RingBuffer(capacity: 16),
                    published: { 0 }),
                pace: BroadcastPace(), subscriberBytesMax: 256 << 10, counters: counters,
                frameRates: FrameRates(), arrivalClock: { FakeDaemon.clock },
                loopClock: { gate.clock.withLock { $0 } })
        }

        /// Connects a device whose hello, with the name as its token, two frames follow; `nil`: it
        /// says nothing.
        func connect(_ name: String?, from address: [UInt8]) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel(loop: loop)
            let peer = try #require(PeerAddress(bytes: address))
            let ticket = try admission.admit(
                channel, from: peer, as: .stranger, limits: limits
            ).get()
            let origin = DeviceOrigin(
                transport: .tcp, headerToken: nil, peer: peer, isSecure: false)
            try channel.pipeline.syncOperations.addHandler(
                DeviceSocket(
                    loop: state, gate: gate, limits: limits, origin: origin, ticket: ticket))
            guard let name else { return channel }
            let hello = DeviceSocketTests.hello.replacing("good", with: name)
            let text = hello + DeviceSocketTests.heartRate(1) + DeviceSocketTests.heartRate(2)
            try channel.writeInbound(ByteBuffer(string: text))
            return channel
        }

        /// Lets time pass in which the loop has nothing else to do.
        func pass(_ time: TimeAmount) {
            let now = gate.clock.withLock { clock in
                clock = clock + time
                return clock
            }
            loop.advanceTime(to: now)
        }

        /// Sequence numbers of the frames in the ring; an opening is 0.
        func records() -> [UInt32] {
            var numbers: [UInt32] = []
            _ = ring.drain { record in
                switch InboundMessage(record: record) {
                case .opened: numbers.append(0)
                case .frame(let frame): numbers.append(frame.header.sequence.rawValue)
                default: break
                }
            }
            return numbers
        }
    }

    private static func stranger(_ number: Int) -> [UInt8] { [192, 0, 2, UInt8(number)] }

    @Test func `Hellos leave half of the time to others, and networks take turns`() throws {
        let bench = Bench()
        var channels: [EmbeddedChannel] = []
        for number in 1...4 {
            channels.append(
                try bench.connect("stranger \(number)", from: Self.stranger(number)))
        }
        channels.append(try bench.connect("runner", from: [198, 51, 100, 7]))
        #expect(bench.gate.admitted.withLock { $0 } == ["stranger 1"])
        for count in 2...5 {
            bench.pass(.milliseconds(4))
            #expect(bench.gate.admitted.withLock { $0.count } == count - 1)
            bench.pass(.milliseconds(1))
            #expect(bench.gate.admitted.withLock { $0.count } == count)
        }
        #expect(bench.gate.admitted.withLock { $0[2] } == "runner")
        #expect(bench.records() == (1...5).flatMap { _ in [0, 1, 2] })
    }

    @Test func `A hello that waits longer than its deadline is not refused`() throws {
        let bench = Bench()
        let channels = [
            try bench.connect("first", from: Self.stranger(1)),
            try bench.connect("waiting", from: Self.stranger(2)),
            try bench.connect(nil, from: Self.stranger(3)),
        ]
        let wheel = bench.state.wheel
        for _ in 0...ConnectionLimits().helloSeconds { wheel.advance(to: wheel.tick + 1) }
        #expect(bench.counters.hellosRefused["4001"] == 1, "\(channels.count) connected")
        bench.pass(.milliseconds(10))
        #expect(bench.gate.admitted.withLock { $0 } == ["first", "waiting"])
    }

    @Test func `A device that leaves while its hello waits is not admitted`() throws {
        let bench = Bench()
        _ = try bench.connect("first", from: Self.stranger(1))
        let left = try bench.connect("left", from: Self.stranger(2))
        left.close(promise: nil)
        bench.loop.run()
        _ = try bench.connect("last", from: Self.stranger(3))
        bench.pass(.milliseconds(10))
        #expect(bench.gate.admitted.withLock { $0 } == ["first", "last"])
        #expect(bench.records() == [0, 1, 2, 0, 1, 2])
    }

    @Test func `Devices that leave before their turn hold no memory`() throws {
        let bench = Bench()
        let first = try bench.connect("first", from: Self.stranger(1))
        let waiting = try bench.connect("waiting", from: Self.stranger(2))
        for _ in 1...1000 {
            try bench.connect("left", from: Self.stranger(3)).close(promise: nil)
            bench.loop.run()
        }
        #expect(bench.state.helloTurns.count <= 2)
        bench.pass(.milliseconds(10))
        #expect(bench.gate.admitted.withLock { $0 } == ["first", "waiting"])
        withExtendedLifetime((first, waiting)) {}
    }

    @Test func `Few sessions begin before the pipeline has read the last ones`() throws {
        let bench = Bench()
        var channels: [EmbeddedChannel] = []
        for number in 1...20 {
            channels.append(try bench.connect("\(number)", from: Self.stranger(number)))
            bench.pass(.milliseconds(5))
        }
        // They wait as devices, which no stranger evicts.
        #expect(bench.gate.admitted.withLock { $0.count } == 20)
        #expect(bench.counters.connectionsRefused.load(ordering: .relaxed) == 0)
        var begun: [Int] = []
        for _ in 1...3 {
            for _ in 1...30 { bench.pass(.milliseconds(10)) }
            begun.append(bench.records().count { $0 == 0 })
        }
        #expect(begun == [8, 8, 4])
    }

    @Test func `A device that leaves while its opening waits leaves its frames`() throws {
        let bench = Bench()
        var others: [EmbeddedChannel] = []
        for number in 1...8 {
            others.append(try bench.connect("\(number)", from: Self.stranger(number)))
            bench.pass(.milliseconds(5))
        }
        let left = try bench.connect("left", from: Self.stranger(9))
        left.close(promise: nil)
        bench.pass(.milliseconds(10))
        let before = bench.records()
        #expect(before.count == 3 * others.count)
        bench.pass(.milliseconds(10))
        let rest = bench.records()
        #expect(rest == [0, 1, 2])
    }

    @Test func `While nothing is recorded, each device is told so and none waits for it`() throws {
        let bench = Bench()
        bench.state.tellDevices(.error(code: 1013, reason: "the disk is full"), after: .zero)
        bench.loop.run()
        var channels: [EmbeddedChannel] = []
        for number in 1...20 {
            channels.append(try bench.connect("\(number)", from: Self.stranger(number)))
        }
        for _ in 1...30 { bench.pass(.milliseconds(10)) }
        for channel in channels {
            let said = try #require(try channel.readOutbound(as: ByteBuffer.self))
            #expect(String(buffer: said).contains("the disk is full"))
        }
    }

    @Test func `A line of nothing before the hello does not take its turn`() throws {
        let bench = Bench()
        let channels = try (1...20).map { try bench.connect(nil, from: Self.stranger($0)) }
        for channel in channels { try channel.writeInbound(ByteBuffer(string: "[  ]\n")) }
        bench.pass(.milliseconds(10))
        for channel in channels {
            try channel.writeInbound(ByteBuffer(string: DeviceSocketTests.hello))
        }
        #expect(bench.gate.admitted.withLock { $0.count } == 1)
    }
}
