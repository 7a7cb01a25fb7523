import Registry
import SensorModel

/// One device in a listing.
struct DeviceRow: Encodable {
    let device: String
    let createdAt: Double
    let revoked: Bool
    let lastSeen: NullableField<Double>
    let sessions: Int
    let hasCourse: Bool

    init(_ device: Device, lastSeen: Timestamp?, sessions: Int, hasCourse: Bool) {
        self.device = device.name
        createdAt = device.createdAt.secondsSince1970
        revoked = device.isRevoked
        self.lastSeen = NullableField(lastSeen?.secondsSince1970)
        self.sessions = sessions
        self.hasCourse = hasCourse
    }
}
