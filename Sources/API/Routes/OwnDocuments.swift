import Registry
import Runtime
import SensorModel
import Sharing
import Transport

/// All that is kept of a device, but for its sessions.
struct OwnDocuments: Sendable {
    let administration: Administration
    let receivers: ReceiverService
    let deliveries: DeliveryService
    /// Prefix of links.
    let publicURL: @Sendable () -> String

    private var accounts: Accounts { administration.accounts }

    /// Those that a route answers as they are.
    var answered: [OwnDocument] {
        let groups = GroupService(administration: administration, publicURL: publicURL)
        let courses = CourseService(administration: administration)
        return [
            OwnDocument("", "device.json", .memory, row),
            OwnDocument("/profile", "profile.json", .memory) {
                JSONBody.response(ProfileBody($0))
            },
            OwnDocument("/zones", "zones.json", .memory) {
                JSONBody.response(ZonesBody($0.privacy))
            },
            OwnDocument("/course", "course.gpx", .registry, courses.show),
            OwnDocument("/groups", "groups.json", .memory, groups.list),
            OwnDocument("/receivers", "receivers.json", .registry, receivers.list),
            OwnDocument("/targets", "targets.json", .registry, deliveries.targets),
            OwnDocument("/deliveries", "deliveries.json", .registry, deliveries.list),
            OwnDocument("/cheers", "cheers.json", .memory) { device in
                JSONBody.response(accounts.withState { $0.cheersKept.of(device.id) })
            },
        ]
    }

    /// The files of the device's archive. Each part reads the registry when it is its turn: the
    /// openings of a share are a thousand rows, and a device may have many shares.
    func files(of device: Device) -> [DeviceArchive.File] {
        let kept = answered.map { document in
            DeviceArchive.File(name: document.name, parts: [{ try document.bytes(of: device) }])
        }
        let shares = accounts.withState { $0.shares.shares(of: device.id) }
        var parts = shares.enumerated().map { index, share in
            { @Sendable () throws -> [UInt8]? in
                Array(((index == 0 ? "[" : ",") + "\n").utf8) + (try row(of: share, device))
            }
        }
        parts.append { Array((shares.isEmpty ? "[]\n" : "\n]\n").utf8) }
        return kept + [DeviceArchive.File(name: "shares.json", parts: parts)]
    }

    private func row(of share: Share, _ device: Device) throws -> [UInt8] {
        let row = ArchivedShare(
            row: ShareRow(
                share, device: device.name, viewers: accounts.viewerCounts(of: share.key),
                at: administration.clock()),
            opens: try accounts.audit(of: share.key).map(OpenRow.init))
        return Array(JSONBody.text(row).utf8)
    }

    private func row(of device: Device) -> HTTPResponse {
        let lastSeen = accounts.withState { $0.lastSeen[device.id] } ?? device.lastSeenAt
        return JSONBody.response(
            DeviceRow(
                device, lastSeen: lastSeen, sessions: administration.catalog.count(of: device.id),
                hasCourse: accounts.course(of: device.id) != nil))
    }
}

/// A share in the archive of its device: without its link, which opens it, and with the times at
/// which it was opened.
private struct ArchivedShare: Encodable {
    let row: ShareRow
    let opens: [OpenRow]

    private enum Key: String, CodingKey {
        case opens
    }

    func encode(to encoder: any Encoder) throws {
        try row.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(opens, forKey: .opens)
    }
}
