import Processing
import Replay
import SegmentLog
import SensorModel
import Sessions
import Testing

@Suite struct ReplayVerificationTests {
    @Test func `A recorded run computes to the same events, byte for byte`() throws {
        let folder = try TemporaryFolder()
        let run = try RecordedRun(disk: PosixDisk(path: folder.path), seconds: 90)
        let found = try ReplayVerification.run(RecordedRun.session, reader: run.log.reader())
        #expect(found.frames == run.frames)
        #expect(found.events == run.events.count)
        #expect(found.events > 80)
        #expect(found.differenceCount == 0)
        #expect(found.unrecorded == 0)
        #expect(found.otherVersion == nil)
    }

    /// A course along the simulated run that goes straight on where the run turns off.
    private func course(along run: RecordedRun) throws -> Course {
        let places = run.events.compactMap { event -> PositionMetric? in
            guard case .metrics(let metrics) = event.kind else { return nil }
            return metrics.position
        }
        let first = try #require(places.first)
        let half = try #require(places.dropFirst(places.count / 2).first)
        let east = (half.longitude - first.longitude)
        let north = (half.latitude - first.latitude)
        let points = places.prefix(places.count / 4).map {
            Course.Point(latitude: $0.latitude, longitude: $0.longitude)
        }
        // Rotated by a right angle, away from the rest of the run.
        let away = Course.Point(
            latitude: first.latitude - 10 * east, longitude: first.longitude + 10 * north)
        return Course(
            points: points + [away],
            checkpoints: [
                .init(name: "start", latitude: first.latitude, longitude: first.longitude),
                .init(name: "away", latitude: away.latitude, longitude: away.longitude),
            ])
    }

    @Test func `A recorded course is followed again, byte for byte`() throws {
        let first = try TemporaryFolder()
        let plain = try RecordedRun(disk: PosixDisk(path: first.path), seconds: 600)
        let course = try course(along: plain)
        let folder = try TemporaryFolder()
        let run = try RecordedRun(
            disk: PosixDisk(path: folder.path), seconds: 600, course: course)
        let found = try ReplayVerification.run(RecordedRun.session, reader: run.log.reader())
        #expect(found.events == run.events.count)
        #expect(found.differenceCount == 0)
        let alerts = run.events.compactMap { event -> Alert? in
            guard case .alert(let alert) = event.kind, alert.kind == .offCourse else { return nil }
            return alert
        }
        #expect(alerts.first?.phase == .triggered)
        let reached = run.events.compactMap { event -> String? in
            guard case .checkpointReached(let reached) = event.kind else { return nil }
            return reached.checkpoint
        }
        #expect(reached == ["start"])
        let progress = run.events.compactMap { event -> CourseProgress? in
            guard case .metrics(let metrics) = event.kind else { return nil }
            return metrics.course
        }
        #expect(progress.contains { $0.checkpoint == "away" && $0.predictedSeconds != nil })
        #expect(progress.last?.offCourse == true)
        let rebuilt = try SessionRebuild.run(RecordedRun.session, reader: run.log.reader())
        #expect(rebuilt.missing.isEmpty)
        #expect(rebuilt.computation?.pipeline.metrics.course == progress.last)
    }

    @Test func `Another profile computes other events, and says which`() throws {
        let folder = try TemporaryFolder()
        let run = try RecordedRun(disk: PosixDisk(path: folder.path), seconds: 90)
        let found = try ReplayVerification.run(
            RecordedRun.session, reader: run.log.reader(),
            change: { profile in
                var other = profile
                other.maxHeartRate = 130
                return other
            })
        #expect(found.differenceCount > 0)
        #expect(found.differences.count == found.differenceCount)
        let pairs = found.differences.filter { $0.recorded != nil && $0.computed != nil }
        #expect(!pairs.isEmpty)
        for pair in pairs {
            guard case .metrics(let recorded) = pair.recorded?.kind,
                case .metrics(let computed) = pair.computed?.kind
            else { continue }
            #expect(recorded.distanceMeters == computed.distanceMeters)
            #expect(recorded.heartRate?.zone != computed.heartRate?.zone)
        }
    }

    @Test func `The recorded profile changes nothing`() throws {
        let folder = try TemporaryFolder()
        let run = try RecordedRun(disk: PosixDisk(path: folder.path), seconds: 90)
        let found = try ReplayVerification.run(
            RecordedRun.session, reader: run.log.reader(), change: { $0 })
        #expect(found.events > 0)
        #expect(found.differenceCount == 0)
    }

    @Test func `Events a crash kept from the log are found and named as unrecorded`() throws {
        let folder = try TemporaryFolder()
        let run = try RecordedRun(
            disk: PosixDisk(path: folder.path), seconds: 60, lostEvents: 1)
        let found = try ReplayVerification.run(RecordedRun.session, reader: run.log.reader())
        #expect(found.differenceCount == 0)
        #expect(found.unrecorded == 1)
    }

    @Test func `A session the log does not have is refused by name`() throws {
        let folder = try TemporaryFolder()
        let run = try RecordedRun(disk: PosixDisk(path: folder.path), seconds: 5)
        let other = SessionID(high: 1, low: 2)
        #expect(throws: SessionReadError.unknownSession(other)) {
            try ReplayVerification.run(other, reader: run.log.reader())
        }
    }

    @Test func `A rebuilt session knows what the log lacks and goes on from there`() throws {
        let folder = try TemporaryFolder()
        let run = try RecordedRun(
            disk: PosixDisk(path: folder.path), seconds: 60, lostEvents: 1)
        var recorded: [StreamEvent] = []
        let rebuilt = try SessionRebuild.run(
            RecordedRun.session, reader: run.log.reader(),
            recorded: { event, _, _ in recorded.append(event) })
        #expect(recorded == Array(run.events.dropLast()))
        #expect(rebuilt.missing == Array(run.events.suffix(1)))
        #expect(rebuilt.head?.device == RecordedRun.device)
        #expect(rebuilt.computation?.pipeline.metrics.state == .ended)
    }
}
