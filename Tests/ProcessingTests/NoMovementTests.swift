import SensorModel
import Testing

@testable import Processing

/// The alert in a session; ``AlertTests`` covers its five minutes alone.
@Suite struct NoMovementTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    enum Sent { case nothing, heartRate, motion, battery }

    /// Runs a minute at 3 m/s with a position and a heart rate a second, then stands for 20
    /// minutes, of which a distance filter sends no position.
    ///
    /// - Returns: Seconds at which the alert was raised, and the session.
    private func stand(
        sending sent: Sent, silentUntil heard: Double = 60, pausedAt pause: Double? = nil
    ) throws -> (raised: [Double], pipeline: SessionPipeline) {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in stride(from: 0.0, to: 1260, by: 1) {
            let time = at(second)
            if second == pause { pipeline.apply(control: .pause, at: time, into: &events) }
            if second < 60 {
                let latitude = 48 + 3 * second / 111_195
                let fix = try Location(
                    latitude: latitude, longitude: 11, horizontalAccuracy: 5, speed: 3)
                pipeline.apply(location: fix, at: time, into: &events)
            } else if second < heard {
                pipeline.applySilence(at: time, into: &events)
                continue
            }
            switch second < 60 ? .heartRate : sent {
            case .nothing: pipeline.applySilence(at: time, into: &events)
            case .heartRate:
                let beats = try HeartRateSample(beatsPerMinute: 120)
                pipeline.apply(heartRate: beats, at: time, into: &events)
            case .motion:
                let still = MotionSample(acceleration: SIMD3(0, 0, 1))
                pipeline.apply(motion: still, traits: .includesGravity, at: time, into: &events)
            case .battery:
                guard Int(second) % 60 == 0 else { continue }
                let status = DeviceStatus(batteryPercent: 80, charging: false)
                pipeline.apply(status: status, at: time, into: &events)
            }
        }
        let raised: [Double] = events.compactMap { event in
            guard case .alert(let alert) = event.kind, alert.kind == .noMovement,
                alert.phase == .triggered
            else { return nil }
            return event.deviceTime.seconds(since: at(0))
        }
        return (raised, pipeline)
    }

    @Test(arguments: [
        (Sent.heartRate, 359.0...360), (.motion, 359...360), (.battery, 359...420),
    ])
    func `Who stands where a distance filter sends no position is found by what else comes`(
        sent: Sent, when: ClosedRange<Double>
    ) throws {
        let (raised, pipeline) = try stand(sending: sent)
        #expect(raised.count == 1 && raised.allSatisfy(when.contains), "\(raised)")
        #expect(pipeline.metrics.activeAlerts == [.noMovement])
    }

    @Test func `A wholly silent device raises nothing, and counts once it is heard again`() throws {
        #expect(try stand(sending: .nothing).raised.isEmpty)
        let (raised, _) = try stand(sending: .heartRate, silentUntil: 800)
        #expect(raised == [801])
    }

    @Test func `A lost network through which the runner went on is no alert`() throws {
        var (_, pipeline) = try stand(sending: .nothing)
        var events: [StreamEvent] = []
        for second in 0..<60 {
            let fix = try Location(
                latitude: 48.03 + 3 * Double(second) / 111_195, longitude: 11,
                horizontalAccuracy: 5, speed: 3)
            pipeline.apply(location: fix, at: at(1300 + Double(second)), into: &events)
        }
        let alerts = events.filter { if case .alert = $0.kind { true } else { false } }
        #expect(alerts.isEmpty, "\(alerts)")
    }

    @Test func `A pause by hand during which the device is silent is none of the five minutes`()
        throws
    {
        var (_, pipeline) = try stand(sending: .nothing, pausedAt: 60)
        var events: [StreamEvent] = []
        pipeline.apply(control: .resume, at: at(1300), into: &events)
        for second in 1301..<1600 {
            let beats = try HeartRateSample(beatsPerMinute: 120)
            pipeline.apply(heartRate: beats, at: at(Double(second)), into: &events)
        }
        #expect(!pipeline.metrics.activeAlerts.contains(.noMovement))
        pipeline.apply(
            heartRate: try HeartRateSample(beatsPerMinute: 120), at: at(1602), into: &events)
        #expect(pipeline.metrics.activeAlerts == [.noMovement])
    }
}
