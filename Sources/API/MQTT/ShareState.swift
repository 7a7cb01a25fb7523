import Foundation

/// What a share shows, as a flat JSON object for home automation. It is made of the share's snapshot
/// and of nothing else. All keys are always there: what the share does not show is `null`, and so
/// ends what a reader still has.
struct ShareState: Encodable, Sendable {
    /// The fields of a snapshot that are published.
    private struct Shown: Decodable {
        struct HeartRate: Decodable {
            let bpm: Double?
            let zone: Int?
        }

        struct Cadence: Decodable {
            let stepsPerMinute: Double?
        }

        struct Position: Decodable {
            let latitude: Double
            let longitude: Double
            let horizontalAccuracyMeters: Double?
        }

        let state: String?
        let heartRate: HeartRate?
        let cadence: Cadence?
        let position: Position?
        let paceSecondsPerKm: Double?
        let distanceMeters: Double?
        let battery: Double?
        let alerts: [String]?
    }

    private enum CodingKeys: String, CodingKey {
        case state, heartRate, zone, paceSecondsPerKm, distanceMeters, cadence, battery, alert
        case latitude, longitude
        // Home Assistant's word for the accuracy of a position.
        case accuracyMeters = "gps_accuracy"
    }

    private let shown: Shown

    /// - Parameter snapshot: The share's snapshot as JSON; `nil` for another text.
    init?(snapshot: [UInt8]) {
        guard let shown = try? JSONDecoder().decode(Shown.self, from: Data(snapshot)) else {
            return nil
        }
        self.shown = shown
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(shown.state, forKey: .state)
        try fields.encode(shown.heartRate?.bpm, forKey: .heartRate)
        try fields.encode(shown.heartRate?.zone, forKey: .zone)
        try fields.encode(shown.paceSecondsPerKm, forKey: .paceSecondsPerKm)
        try fields.encode(shown.distanceMeters, forKey: .distanceMeters)
        try fields.encode(shown.cadence?.stepsPerMinute, forKey: .cadence)
        try fields.encode(shown.battery.map { ($0 * 100).rounded() }, forKey: .battery)
        try fields.encode(shown.alerts?.first, forKey: .alert)
        try fields.encode(shown.position?.latitude, forKey: .latitude)
        try fields.encode(shown.position?.longitude, forKey: .longitude)
        // A `null` would be logged by Home Assistant as an error.
        try fields.encodeIfPresent(
            shown.position.map { $0.horizontalAccuracyMeters ?? 0 }, forKey: .accuracyMeters)
    }
}
