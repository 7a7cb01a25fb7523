import Processing
import SegmentLog
import SensorModel
import Sessions
import Testing

/// The work caused by an owner who changes settings without end.
@Suite struct SettingsBoundsTests {
    private static func route(_ number: Int) -> CourseRoute {
        CourseRoute(
            Course(
                points: (0...40).map {
                    Course.Point(latitude: 48 + Double($0) / 1000, longitude: 11 + Double(number))
                }))
    }

    private static func followed(_ fixture: FlowFixture) -> CourseRoute? {
        fixture.live?.computation?.processors.pipeline.route
    }

    @Test func `A course is followed at once, and of a thousand in a row the last one`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try fixture.send(5)
        fixture.said.route = Self.route(0)
        flow.courseChanged(of: FlowFixture.device)
        #expect(Self.followed(fixture) === fixture.said.route)
        let before = flow.log.nextOffset
        for number in 1...1000 {
            fixture.said.route = Self.route(number % 100)
            flow.courseChanged(of: FlowFixture.device)
        }
        #expect(flow.log.nextOffset == before)
        let last = Self.route(50)
        fixture.said.route = last
        let deadline = try #require(flow.nextDeadline)
        #expect(deadline.seconds(since: flow.now) <= 2)
        flow.advance(to: flow.now.advanced(bySeconds: 2))
        #expect(Self.followed(fixture) === last)
        // Offsets start at the current time, so fewer than ten records were written at this time.
        #expect(flow.log.nextOffset.rawValue < UInt64(flow.now.microseconds) + 10)
        try fixture.send(5)
        #expect(try fixture.replays())
    }

    @Test func `Profiles are recorded once in two seconds`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try fixture.send(5)
        let before = flow.log.nextOffset
        for _ in 0..<1000 { flow.profileChanged(of: FlowFixture.device) }
        #expect(flow.log.nextOffset.rawValue - before.rawValue <= 2)
    }

    @Test func `What waits while a session is read is bounded, and the rest is read from the log`()
        throws
    {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try fixture.run(seconds: 50)
        for _ in 0..<5 {
            flow.privacyChanged(of: FlowFixture.device)
            try fixture.run(seconds: 2000)
            let bytes = try #require(fixture.live?.backlog.bytes)
            #expect(bytes <= SessionBacklog.bytesMax)
            #expect(flow.sessions.backlogBytes == bytes)
        }
        flow.log.syncAppended()
        var read = 0
        while let ticket = fixture.said.rebuilds.last, fixture.live?.computation == nil {
            if read < fixture.said.rebuilds.count {
                read = fixture.said.rebuilds.count
                try fixture.resume(ticket)
            }
            flow.advance(to: flow.now.advanced(byMicroseconds: 1000))
            flow.log.syncAppended()
            try #require(read < 200)
        }
        #expect(fixture.live?.computation != nil)
        #expect(flow.sessions.backlogBytes == 0)
        try fixture.run(seconds: 50)
        #expect(try fixture.replays())
    }

    @Test func `A ticket that is outdated is not read on`() throws {
        let fixture = try FlowFixture()
        let flow = fixture.flow
        try fixture.send(500)
        flow.privacyChanged(of: FlowFixture.device)
        flow.log.syncAppended()
        let ticket = try #require(fixture.said.rebuilds.last)
        var checks = 0
        let part = try ticket.run(flow.log.reader(), epoch: flow.log.epoch) {
            checks += 1
            return checks > 10
        }
        #expect(part == nil)
        #expect(checks == 11)
    }

    @Test func `A session that leaves memory is not read on`() throws {
        let fixture = try FlowFixture()
        try fixture.send(5)
        fixture.flow.privacyChanged(of: FlowFixture.device)
        _ = fixture.flow.forget(FlowFixture.session, of: FlowFixture.device)
        #expect(fixture.said.stopped == [FlowFixture.session])
    }
}
