import Secrets
import SensorModel
import Testing

@Suite struct ProofMemoryTests {
    static let device = DeviceID(rawValue: 1)
    static let now = Timestamp(microseconds: 1_763_700_000_000_000)

    static func proof(_ number: Int) -> SecretHash {
        let tail = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        return SecretHash(bytes: Array(repeating: 7, count: 30) + tail) ?? .zero
    }

    @Test(arguments: [
        (0.0, ProofMemory.Verdict.accepted), (300, .accepted), (-300, .accepted),
        (300.001, .outsideWindow), (-300.001, .outsideWindow), (1e9, .outsideWindow),
    ])
    func `A proof counts within five minutes of its time`(
        seconds: Double, verdict: ProofMemory.Verdict
    ) {
        var memory = ProofMemory()
        let sentAt = Self.now.advanced(bySeconds: seconds)
        #expect(memory.use(Self.proof(1), of: Self.device, sentAt: sentAt, at: Self.now) == verdict)
        #expect(memory.count == (verdict == .accepted ? 1 : 0))
    }

    @Test func `A proof counts once, after a restart too`() {
        var memory = ProofMemory()
        #expect(
            memory.use(Self.proof(1), of: Self.device, sentAt: Self.now, at: Self.now) == .accepted)
        #expect(
            memory.use(Self.proof(1), of: Self.device, sentAt: Self.now, at: Self.now)
                == .seenBefore)
        var restarted = ProofMemory()
        restarted.restore(Self.proof(1), of: Self.device, sentAt: Self.now)
        #expect(
            restarted.use(Self.proof(1), of: Self.device, sentAt: Self.now, at: Self.now)
                == .seenBefore)
        let other = DeviceID(rawValue: 2)
        #expect(
            restarted.use(Self.proof(1), of: other, sentAt: Self.now, at: Self.now) == .accepted)
        restarted.forget(other)
        #expect(restarted.count == 1)
    }

    @Test func `A device's proofs are bounded, and room comes back with time`() {
        var memory = ProofMemory()
        var accepted = 0
        for number in 0..<3000 {
            let verdict = memory.use(
                Self.proof(number), of: Self.device, sentAt: Self.now, at: Self.now)
            if verdict == .accepted { accepted += 1 }
        }
        #expect(accepted == 1024 && memory.count == 1024)
        let later = Self.now.advanced(bySeconds: ProofMemory.keptSeconds + 1)
        #expect(
            memory.use(Self.proof(5000), of: Self.device, sentAt: later, at: later) == .accepted)
        #expect(memory.count == 1)
    }
}
