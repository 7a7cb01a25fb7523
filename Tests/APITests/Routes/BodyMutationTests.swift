import API
import BodyChecks
import MutatedBytes
import Runtime
import SensorModel
import Testing

/// Mutated bodies, queries and messages: accepted input is in range and round-trips; a refusal
/// gives its reason.
@Suite struct BodyMutationTests {
    @Test(arguments: BodyCheck.allCases)
    func `What a valid input must hold, it holds`(check: BodyCheck) {
        for seed in check.seeds {
            #expect(check.breach(by: seed) == nil)
        }
    }

    @Test func `A course of the longest names fits into a record of the log`() {
        // Seven combining marks of four bytes each on every letter.
        let name = String(repeating: "x" + String(repeating: "\u{10A01}", count: 7), count: 64)
        let waypoint = "<wpt lat=\"48\" lon=\"11\"><name>\(name)</name></wpt>"
        let points = (0..<5000).map { "<trkpt lat=\"\($0 % 90)\" lon=\"\(-($0 % 180))\"/>" }
        let gpx =
            "<gpx>" + String(repeating: waypoint, count: 300) + "<trk><trkseg>"
            + points.joined() + "</trkseg></trk></gpx>"
        #expect(BodyCheck.course.breach(by: Array(gpx.utf8)) == nil)
    }

    @Test(arguments: ["+202-01-01", "2026-+3-01", "2026-13-01", "2026-3-1", "2026-02-30", "", "--"])
    func `A day that is none is refused`(day: String) throws {
        let body = try JSONBody.decode(
            ProfileBody.self, from: Array(#"{"zonesFrom":"\#(day)"}"#.utf8))
        #expect(throws: APIRefusal.self) { try body.zonesStart(for: RunnerProfile()) }
    }

    @Test(arguments: [
        #"{"speed":true}"#, #"{"seek":false}"#, #"{"pause":1}"#, #"{"pause":null}"#,
        #"{"live":1}"#, #"{"live":true,"pause":true}"#, #"{"live":false}"#, #"{"speed":"2"}"#,
        #"{"seek":1,"speed":-1}"#, "[]", "{}", "",
    ])
    func `A message with a value of the wrong type is no command`(text: String) {
        #expect(PlaybackCommand.commands(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "[]", #"{"name":""}"#, #"{"name":7}"#,
        #"{"\#(String(repeating: "x\u{300}\u{301}", count: 2000))":1}"#,
        #"{"name":"\#(String(repeating: "/", count: 100_000))"}"#,
    ])
    func `A body is refused in few words`(body: String) {
        #expect(BodyCheck.share.breach(by: Array(body.utf8)) == nil)
    }

    @Test(arguments: BodyCheck.allCases)
    func `A mutated body is taken within its ranges, or refused with a reason`(check: BodyCheck) {
        var generator = SeededGenerator(
            seed: UInt64(check.rawValue.utf8.reduce(0) { $0 + Int($1) }))
        for round in 0..<Mutation.count {
            let seed = check.seeds[round % check.seeds.count]
            let mutant = Mutation.mutant(of: seed, using: &generator)
            guard let breach = check.breach(by: mutant) else { continue }
            Issue.record("\(String(decoding: mutant, as: UTF8.self)): \(breach)")
            return
        }
    }
}
