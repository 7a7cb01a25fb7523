import Client
import Foundation
import SensorModel
import Testing
import Transport

@testable import API
@testable import Daemon
@testable import Runtime

/// What no outlet may show, and the outlet that needs a broker.
extension OutletTests {
    /// What a broker would be sent of a share.
    static func brokerStates(of name: String, _ running: RunningDaemon) async -> [String] {
        let accounts = running.daemon.accounts
        let publicName = PublicName(String(name.dropFirst()))
        let share =
            accounts.shares(namedOrID: name).first
            ?? accounts.shares.first { $0.publicName != nil && $0.publicName == publicName }
        // Groups are not published.
        guard let share, share.device != nil else { return [] }
        let routes = running.daemon.alertTeller.shares
        let snapshot = try? await routes.snapshots(of: share, for: .unixSocket).first
        return [snapshot.flatMap(ShareState.init).map { JSONBody.text($0) }].compactMap(\.self)
    }

    /// A link's overviews, of each runner of a group, with each point written as an update is.
    static func overviews(_ path: String, _ running: RunningDaemon) async throws -> [String] {
        var texts: [String] = []
        let runners = running.daemon.accounts.shares.map { "&runner=" + $0.runnerName }
        for (query, points) in ([""] + runners).flatMap({ [($0, 1024), ($0, 7)] }) {
            let answer = try await running.ask(.get, path + "?points=\(points)" + query)
            guard answer.status == 200 else { continue }
            let json = try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
            let overview = try #require(json as? [String: Any])
            let columns = try #require(overview["points"] as? [String: [Any]])
            let start = overview["start"] as? Double ?? 0
            var text = answer.text
            for (index, seconds) in (columns["seconds"] as? [Double] ?? []).enumerated() {
                text += "\n\"time\":\(start + seconds)"
                for (name, values) in columns where name != "seconds" {
                    text += ",\"\(name)\":\(values[index])"
                }
            }
            texts.append(text)
        }
        return texts
    }

    /// All numbers that follow the key in the text.
    static func numbers(_ key: String, in text: String) -> [Double] {
        let quoted = "\"\(key)\":"
        return text.ranges(of: quoted).compactMap { range in
            Double(text[range.upperBound...].prefix { "-+.eE0123456789".contains($0) })
        }
    }

    static func check(_ text: String, _ name: String, startedAfter shown: Double) {
        let places = zip(numbers("latitude", in: text), numbers("longitude", in: text))
        for (latitude, longitude) in places + AlertReceiver.places(in: text) {
            #expect(metersFromHome(latitude, longitude) > radius, "\(name)")
        }
        for key in ["time", "startedAt", "since", "seenAt"] {
            for time in numbers(key, in: text) where time > 1 {
                #expect(time >= shown - 0.01, "\(key) on \(name)")
            }
        }
        for key in ["bpm", "hr", "heart_rate", "heartRate", "maxHeartRate"] {
            for rate in numbers(key, in: text) {
                #expect(rate < Double(rateAtHome) - 1, "\(key) on \(name)")
            }
        }
        for watts in numbers("powerWatts", in: text) {
            #expect(watts < Double(wattsAtHome) - 1, "\(name)")
        }
        for key in ["stepsPerMinute", "cadence", "averageCadence"] {
            for cadence in numbers(key, in: text) {
                #expect(cadence < Double(cadenceAtHome) - 1, "\(key) on \(name)")
            }
        }
        // The pod's raw counts are never shown.
        for key in ["steps", "distanceMeters"] {
            for count in numbers(key, in: text) { #expect(count < 800_000, "\(key) on \(name)") }
        }
        // The distance through the zone, in both directions, is never counted.
        for meters in numbers("distanceMeters", in: text) {
            #expect(meters < 4 * 2 * Double(turn) - 2 * radius, "\(name)")
        }
    }
}
