import Client
import Foundation
import SegmentLog
import SensorModel
import Sharing
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

/// Checks every outlet from a recorded session to a link, with a device that hides its home.
///
/// Each route of the HTTP listener must be in one of the two lists here, or a test fails. A new
/// route is thereby classified as showing recorded data or not; routes that show it are tested.
/// What the daemon sends on its own stands in the first list, too.
@Suite(.serialized) struct OutletTests {
    /// Outlets that show recorded sessions to the holder of a share's ID, and to its receivers.
    enum Outlet: String, CaseIterable {
        case live = "GET /v1/shares/:share/live"
        case events = "GET /v1/shares/:share/events"
        case latest = "GET /v1/shares/:share/latest"
        case history = "GET /v1/shares/:share/history"
        case overview = "GET /v1/shares/:share/overview"
        case week = "GET /v1/shares/:share/week"
        case publicLatest = "GET /publicStreams/:share/latest.json"
        case publicHistory = "GET /publicStreams/:share/heartRate.json"
        case pulsoid = "GET /api/v1/data/heart_rate/latest"
        case pulsoidValidate = "GET /api/v1/token/validate"
        case pulsoidStream = "GET /api/v1/data/real_time"
        case pulsoidRoom = "GET /api/v2/data/rooms/:room/real_time"
        case hypeRate = "GET /ws/:share"
        case hypeRateSocket = "GET /socket/websocket"
        case livePage = "GET /s/:share"
        case namedPage = "GET /@:share"
        case overlay = "GET /overlay/:share"
        case overlaySetup = "GET /overlay/:share/setup"
        case startPage = "GET /"
        case alertMessage = "messages to receivers of alerts"
        case brokerState = "states at an MQTT broker"

        var isRoute: Bool { rawValue.hasPrefix("GET /") }
    }

    /// Routes that show nothing of a session without its device's token.
    private static let otherRoutes = [
        "GET /v1/device", "GET /me", "GET /record", "GET /record-worker.js", "GET /assets/*",
        "GET /favicon.ico",
        "GET /manifest.webmanifest", "POST /c", "POST /v1/shares/:share/cheer",
        "GET /openapi.json", "GET /alert/:token", "POST /alert/:token",
    ]
    /// Routes by token, and preflight requests.
    private static let otherBeginnings = [
        "OPTIONS ", "GET /v1/me", "POST /v1/me", "PUT /v1/me", "DELETE /v1/me", "POST /in/",
        "PUT /in/", "GET /in/",
    ]

    @Test func `Every route is on the list of those that show sessions, or of the others`()
        async throws
    {
        try await RunningDaemon.run { running in
            let routes = running.daemon.server.routes(of: "http")
            #expect(routes.count > 30)
            let known = Set(
                Outlet.allCases.map(\.rawValue) + Self.otherRoutes + AdminPageTests.patterns)
            for route in routes {
                let isOther = Self.otherBeginnings.contains { route.hasPrefix($0) }
                #expect(known.contains(route) || isOther, "\(route) is on no list")
            }
            for outlet in Outlet.allCases where outlet.isRoute {
                #expect(routes.contains(outlet.rawValue), "\(outlet.rawValue) is gone")
            }
        }
    }

    // MARK: A run from home and back

    static let home = (latitude: 48.2, longitude: 11.6)
    static let session = SessionID(high: 0x4012, low: 1 << 63)
    static let turn = 1200
    private static let start = (WallClock.now().secondsSince1970 - Double(2 * turn)).rounded(.down)
    static let radius = 200.0
    /// Heart rate, pod power and pod cadence that occur within the zone only.
    static let rateAtHome = 177
    static let wattsAtHome = 777
    static let cadenceAtHome = 233

    static func metersFromHome(_ latitude: Double, _ longitude: Double) -> Double {
        let degree = 6_371_000 * Double.pi / 180
        let north = (latitude - home.latitude) * degree
        let east = (longitude - home.longitude) * degree * cos(home.latitude * .pi / 180)
        return (north * north + east * east).squareRoot()
    }

    /// Sends a position, heart rate and pod sample a second, east and back at 4 m/s, until now.
    static func send(
        _ seconds: Range<Int>, of start: Double, to running: RunningDaemon, token: String
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        let degree = 6_371_000 * Double.pi / 180 * cos(home.latitude * .pi / 180)
        for second in seconds {
            let way = 4.0 * Double(min(second, 2 * turn - second))
            let time = start + Double(second)
            let rate = way < 200 ? rateAtHome : 120 + second % 20
            let lines = [
                #"{"type":"location","latitude":\#(home.latitude),"longitude":"#
                    + #"\#(home.longitude + way / degree),"altitude":500,"horizontalAccuracy":4,"#
                    + #""verticalAccuracy":5,"speed":4,"course":90,"timestamp":\#(time),"#
                    + #""seq":\#(3 * second + 1)}"#,
                #"{"type":"heartRate","heartRate":\#(rate),"timestamp":\#(time),"#
                    + #""seq":\#(3 * second + 2)}"#,
                #"{"type":"measured","power":\#(way < 200 ? wattsAtHome : 250),"cadence":"#
                    + #"\#(way < 200 ? cadenceAtHome : 170),"stepCount":\#(900_000 + 3 * second),"#
                    + #""distance":\#(900_000 + 4 * second),"source":"pod","placement":"foot","#
                    + #""timestamp":\#(time),"seq":\#(3 * second + 3)}"#,
            ]
            for line in lines { try await client.send(text: Array(line.utf8)) }
        }
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue >= 3 * seconds.upperBound {
                break
            }
        }
        await client.close()
    }

    /// Cursor of the log's record of that number, or of the last record.
    private static func cursor(_ number: Int, _ running: RunningDaemon) throws -> LogCursor {
        let log = running.daemon.pipeline.log
        var found = RecordOffset(rawValue: 0)
        var count = 0
        try log.reader().read(from: found) { header, _ in
            found = header.offset
            count += 1
            return count < number
        }
        return LogCursor(epoch: log.epoch, offset: found)
    }

    /// Returns what the outlet sends as an answer and for a while after it.
    private static func read(
        _ outlet: Outlet, of share: String, _ running: RunningDaemon, from start: Double,
        _ receiver: AlertReceiver? = nil
    ) async throws -> [String] {
        let path = String(outlet.rawValue.dropFirst(4)).replacing(":share", with: share)
            .replacing(":room", with: "r")
        let bearer = share
        switch outlet {
        case .live:
            var texts: [String] = []
            for query in [
                "", "?after=e1-0", "?after=\(try cursor(7, running))", "?at=0&speed=64",
                "?at=\(start + 60)&speed=64",
                "?at=\(start + 2300)", "?at=\(start + 1200)&speed=64",
            ] {
                texts += try await Self.watch(path + query, running)
            }
            return texts
        case .pulsoidStream, .pulsoidRoom:
            return try await Self.watch(path + "?access_token=\(share)", running)
        case .hypeRate: return try await Self.watch(path, running)
        case .hypeRateSocket:
            return try await Self.watch(
                path, running,
                saying: #"{"topic":"hr:\#(share)","event":"phx_join","payload":{},"ref":1}"#)
        case .history:
            var texts: [String] = []
            for query in [
                "?limit=1000", "?after=e1-0", "?after=\(try cursor(7, running))&limit=20",
                "?after=\(try cursor(900, running))",
            ] {
                texts.append(try await running.ask(.get, path + query).text)
            }
            return texts
        case .overview: return try await Self.overviews(path, running)
        case .events: return try await Self.watch("/v1/shares/\(share)/live?rate=20", running)
        case .pulsoid, .pulsoidValidate:
            return [try await running.ask(.get, path, token: bearer).text]
        case .namedPage: return [try await running.ask(.get, "/\(share)").text]
        case .startPage: return [try await running.ask(.get, "/?share=\(share)").text]
        case .brokerState: return await Self.brokerStates(of: share, running)
        case .alertMessage:
            return try await receiver?.messages(to: share, of: session, running, from: start) ?? []
        default: return [try await running.ask(.get, path).text]
        }
    }

    private static func watch(
        _ path: String, _ running: RunningDaemon, saying text: String? = nil
    ) async throws -> [String] {
        let socket = try await running.socket(path)
        if let text { try await socket.say(text) }
        let closing = Task {
            try await Task.sleep(for: .milliseconds(700))
            await socket.close()
        }
        var texts: [String] = []
        do {
            for try await text in socket.events { texts.append(text) }
        } catch is ClientError {
            // The stream was closed by the test or the daemon; the texts received so far count.
        }
        closing.cancel()
        return texts
    }

    /// Adds runners, their shares, and a place to hide.
    ///
    /// - Returns: The token of the runner who hides, and IDs and names of shares by who has them.
    private static func prepare(
        _ running: RunningDaemon, _ receiver: AlertReceiver
    ) async throws -> (token: String, shares: [String: String]) {
        let token = try running.addDevice("ann")
        var shares = ["own": try running.addShare(of: "ann"), "named": "@anna"]
        // The holder of both links must not be able to compute a difference.
        shares["beside"] = try running.addShare(of: "ann") { $0.scope = [.heartRate, .metrics] }
        let named = try running.addShare(of: "ann") { $0.publicName = PublicName("anna") }
        let accounts = running.daemon.accounts
        try receiver.register(
            for: try #require(accounts.shares(namedOrID: named).first), running)
        _ = try running.addDevice("bob")
        _ = try running.addShare(of: "bob")
        let group = try running.daemon.administration.createShare(
            ShareRequest(), of: .group(accounts.shares.map(\.key)), stem: "both")
        shares["group"] = group.id.text
        let zones = try await running.ask(
            .put, "/v1/me/zones", token: token,
            body: """
                {"zones":[{"name":"home","latitude":\(home.latitude),\
                "longitude":\(home.longitude),"radiusMeters":\(radius)}],\
                "trimStartMeters":100}
                """)
        try #require(zones.status == 200)
        return (token, shares)
    }

    @Test func `No outlet shows what lies at home, whoever asks, before and after a restart`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await AlertReceiver.run { receiver in
            var shares: [String: String] = [:]
            var shownFrom = 0.0
            for life in 1...2 {
                try await RunningDaemon.again(in: folder, receiver.trust) { running in
                    if life == 1 {
                        let (token, made) = try await Self.prepare(running, receiver)
                        shares = made
                        try await Self.checkAtHome(running, receiver, shares, token: token)
                        try await Self.send(
                            20..<2 * Self.turn, of: Self.start, to: running, token: token)
                    }
                    shownFrom = try await Self.checkAll(
                        running, receiver, shares, life: life, shownFrom)
                }
            }
        }
    }

    /// While the runner is at home nothing is there.
    private static func checkAtHome(
        _ running: RunningDaemon, _ receiver: AlertReceiver, _ shares: [String: String],
        token: String
    ) async throws {
        try await send(0..<20, of: start, to: running, token: token)
        for outlet in [
            Outlet.latest, .history, .overview, .week, .publicLatest, .live, .alertMessage,
            .brokerState,
        ] {
            for (who, share) in shares {
                for text in try await read(outlet, of: share, running, from: start, receiver) {
                    // A share that waits has the daemon's own time.
                    let now = WallClock.now().secondsSince1970
                    check(text, "\(outlet) of \(who)", startedAfter: now - 60)
                    #expect(!text.contains("startedAt"))
                    #expect(outlet != .week || !text.contains("true"))
                }
            }
        }
    }

    /// - Returns: Time before which a later life shows nothing, either.
    private static func checkAll(
        _ running: RunningDaemon, _ receiver: AlertReceiver, _ shares: [String: String], life: Int,
        _ shownBefore: Double
    ) async throws -> Double {
        let own = try #require(shares["own"])
        let page = try await running.ask(.get, "/v1/shares/\(own)/history?limit=1")
        let shownFrom = max(shownBefore, try #require(numbers("time", in: page.text).first))
        #expect(shownFrom > start + 50)
        for outlet in Outlet.allCases {
            for (who, share) in shares {
                let texts = try await read(outlet, of: share, running, from: start, receiver)
                #expect(outlet != .alertMessage || texts.isEmpty == (who != "named"))
                for text in texts {
                    check(
                        text, "\(outlet) of \(who), life \(life)", startedAfter: shownFrom)
                }
            }
        }
        return shownFrom
    }

    @Test func `A group shows of each runner what the runner's own share does`() async throws {
        try await RunningDaemon.run { running in
            var keys: [ShareKey] = []
            for name in ["ann", "bob"] {
                let token = try running.addDevice(name)
                let share = try running.addShare(of: name) { $0.scope = .location }
                keys.append(
                    try #require(running.daemon.accounts.shares(namedOrID: share).first).key)
                try await running.sendHeartRates(
                    [140, 141, 142], token: token,
                    session: SessionID(high: 0x4013, low: UInt64(name.count + keys.count)))
            }
            let group = try running.daemon.administration.createShare(
                ShareRequest(), of: .group(keys), stem: "both"
            ).id.text
            for outlet in Outlet.allCases {
                for text in try await Self.read(outlet, of: group, running, from: 0) {
                    for key in ["bpm", "hr", "heart_rate"] {
                        #expect(Self.numbers(key, in: text).isEmpty, "\(outlet)")
                    }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `Every cursor newer than what a delay lets through is answered alike`(trims: Bool)
        async throws
    {
        try await RunningDaemon.run { running in
            let (ann, bea) = (try running.addDevice("ann"), try running.addDevice("bea"))
            let share = try running.addShare(of: "ann") { $0.delaySeconds = 600 }
            let zones = try await running.ask(
                .put, "/v1/me/zones", token: ann,
                body: #"{"zones":[],"trimStartMeters":\#(trims ? 100 : 0)}"#)
            try #require(zones.status == 200)
            for (token, low) in [(ann, 1), (bea, 2), (ann, 3)] as [(String, UInt64)] {
                try await running.sendHeartRates(
                    [120, 121, 122], token: token, session: SessionID(high: 0x4014, low: low))
            }
            var answers: Set<String> = []
            let log = running.daemon.pipeline.log
            var offsets: [UInt64] = []
            try log.reader().read(from: RecordOffset(rawValue: 0)) { header, _ in
                let offset = header.offset.rawValue
                offsets += [offset - 1, offset, offset + 1, offset + 1000]
                return true
            }
            try #require(offsets.count > 40)
            let last = try #require(offsets.max())
            for offset in offsets + [1, last + 1_000_000, last + 3_600_000_000, .max] {
                let page = try await running.ask(
                    .get, "/v1/shares/\(share)/history?after=e\(log.epoch)-\(offset)&limit=5")
                #expect(page.status == 200)
                answers.insert(page.text.replacing(#/"time":[0-9.]+/#, with: "time"))
            }
            #expect(answers.count == 1)
        }
    }
}
