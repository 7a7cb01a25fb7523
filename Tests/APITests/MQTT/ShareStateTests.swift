import Foundation
import Runtime
import Secrets
import SensorModel
import Testing

@testable import API

@Suite struct ShareStateTests {
    private static func text(_ snapshot: String) throws -> String {
        let state = try #require(ShareState(snapshot: Array(snapshot.utf8)))
        return JSONBody.text(state)
    }

    @Test func `A state has the values of the snapshot, flat`() throws {
        let text = try Self.text(
            """
            {"type":"snapshot","cursor":"1:2","time":5.5,"state":"live","startedAt":1,
            "heartRate":{"bpm":142,"zone":3,"state":"live"},"cadence":{"stepsPerMinute":172.5},
            "distanceMeters":5000.2,"paceSecondsPerKm":301.5,"battery":0.57,"alerts":["sos"],
            "position":{"latitude":48.25,"longitude":11.6,"horizontalAccuracyMeters":4.5}}
            """)
        #expect(
            text == #"{"alert":"sos","battery":57,"cadence":172.5,"distanceMeters":5000.2,"#
                + #""gps_accuracy":4.5,"heartRate":142,"latitude":48.25,"longitude":11.6,"#
                + #""paceSecondsPerKm":301.5,"state":"live","zone":3}"#)
    }

    @Test func `What a share does not show is null, so that readers forget what they have`() throws
    {
        let text = try Self.text(#"{"type":"snapshot","state":"waiting","heartRate":null}"#)
        #expect(
            text == #"{"alert":null,"battery":null,"cadence":null,"distanceMeters":null,"#
                + #""heartRate":null,"latitude":null,"longitude":null,"paceSecondsPerKm":null,"#
                + #""state":"waiting","zone":null}"#)
        #expect(ShareState(snapshot: Array("no JSON".utf8)) == nil)
    }

    private static func announcement(_ scope: Scope) throws -> [String: Any] {
        let id = try #require(ShareID(bytes: Array(0..<16)))
        let share = Share(
            key: ShareKey(rawValue: 1), name: "home", idHash: id.hash,
            target: .device(DeviceID(rawValue: 1)), scope: scope, label: "Jane",
            createdAt: Timestamp(microseconds: 0))
        let topics = MQTTTopics(Configuration().mqtt)
        let message = DiscoveryMessage(
            share, part: MQTTTopics.part("jane:home"), topics: topics)
        let bytes = try #require(JSONBody.bytes(message))
        return try #require(
            JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func `Home Assistant is told of the sensors that the scope has`() throws {
        let all = try Self.announcement(.all)
        #expect((all["device"] as? [String: Any])?["name"] as? String == "Jane")
        #expect(all["availability_topic"] as? String == "pulsecast/status")
        let components = try #require(all["components"] as? [String: [String: String]])
        #expect(components.count == 9)
        let ids = components.values.compactMap { $0["unique_id"] }
        #expect(Set(ids).count == 9 && ids.allSatisfy { $0.hasPrefix("pulsecast_jane-home_") })
        #expect(
            components["heart_rate"]
                == [
                    "platform": "sensor", "unique_id": "pulsecast_jane-home_heart_rate",
                    "name": "Heart rate", "icon": "mdi:heart-pulse",
                    "state_topic": "pulsecast/jane-home/state",
                    "value_template": "{{ value_json.heartRate }}",
                    "unit_of_measurement": "bpm", "state_class": "measurement",
                ])
        #expect(
            components["position"]
                == [
                    "platform": "device_tracker", "unique_id": "pulsecast_jane-home_position",
                    "name": "Position", "icon": "mdi:run", "source_type": "gps",
                    "json_attributes_topic": "pulsecast/jane-home/state",
                ])
        let rates = try Self.announcement(.heartRate)["components"] as? [String: Any]
        #expect(rates?.keys.sorted() == ["alert", "heart_rate", "state", "zone"])
    }

    @Test func `A sensor reads a field that a state has`() throws {
        let components = try #require(
            try Self.announcement(.all)["components"] as? [String: [String: String]])
        let state = try Self.text(#"{"state":"waiting"}"#)
        for template in components.values.compactMap({ $0["value_template"] }) {
            let field = template.dropFirst("{{ value_json.".count).dropLast(" }}".count)
            #expect(state.contains("\"\(field)\":"), "\(field)")
        }
    }
}
