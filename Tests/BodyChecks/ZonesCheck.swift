import API
import SensorModel
import Sharing

enum ZonesCheck {
    static func run(_ bytes: [UInt8]) throws(Breach) {
        let body: ZonesBody
        do {
            body = try JSONBody.decode(ZonesBody.self, from: bytes)
            try body.check()
        } catch { return try Refusals.check(error) }
        let zones = body.zones?.map(\.zone) ?? []
        try expect(zones.count <= PrivacySettings.zonesMax, "\(zones.count) zones")
        try expect(
            Set(zones.map { $0.name.lowercased() }).count == zones.count, "two zones of a name")
        for zone in zones { try check(zone) }
        try checkAnswer(to: body)
    }

    private static func check(_ zone: PrivacyZone) throws(Breach) {
        try expect(ShareDirectory.isName(zone.name), "a zone's name: \(zone.name)")
        try expect(zone.name.utf8.count <= 256, "a name of \(zone.name.utf8.count) bytes")
        try expect((-90...90).contains(zone.latitude), "latitude \(zone.latitude)")
        try expect((-180...180).contains(zone.longitude), "longitude \(zone.longitude)")
        try expect(
            PrivacyZone.validRadius.contains(zone.radiusMeters), "radius \(zone.radiusMeters)")
    }

    /// Checks that the answer is accepted as a request and means the same.
    private static func checkAnswer(to body: ZonesBody) throws(Breach) {
        guard let answer = JSONBody.bytes(body) else {
            throw Breach(what: "zones that are not written: \(body)")
        }
        try expect(answer.count <= 32 * 1024, "\(answer.count) bytes of zones")
        do {
            let again = try JSONBody.decode(ZonesBody.self, from: answer)
            try again.check()
            try expect(again == body, "other zones are read from: \(body)")
        } catch let breach as Breach { throw breach } catch {
            throw Breach(what: "an answer that is refused: \(error)")
        }
    }

    static let seeds = [
        #"""
        {"zones":[{"name":"home","latitude":48.1,"longitude":11.5,"radiusMeters":200},
        {"name":"Büro 2","latitude":-33.5,"longitude":-179.999,"radiusMeters":5000}],
        "trimStartMeters":200,"trimFinishMeters":0.5,"showHeartRate":true}
        """#,
        #"{"zones":[],"trimFinishMeters":2000,"showHeartRate":false}"#,
        #"{"zones":[{"name":"a","latitude":90,"longitude":180,"radiusMeters":50}]}"#,
    ]
}
