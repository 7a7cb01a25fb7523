import API
import Bytes
import Runtime
import SensorModel
import Sharing

enum ShareCheck {
    private static let now = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let labelBytesMax = 2048

    static func run(_ bytes: [UInt8]) throws(Breach) {
        do {
            let request = try JSONBody.decode(ShareBody.self, from: bytes).shareRequest()
            let share = draft(request)
            try ShareDirectory().check(share, at: now)
            try check(share)
        } catch { try Refusals.check(error) }
    }

    /// Builds the share as `Administration.createShare` does.
    private static func draft(_ request: ShareRequest) -> Share {
        Share(
            key: ShareKey(rawValue: 1), name: request.name ?? "run",
            idHash: .zero, target: .device(DeviceID(rawValue: 1)),
            scope: request.scope, delaySeconds: request.delaySeconds,
            expiresAt: request.expiresInSeconds.map { now.advanced(bySeconds: $0) },
            maxViewers: request.maxViewers,
            label: request.label.map { CleanText.clean($0, charactersMax: 64) }, createdAt: now)
    }

    private static func check(_ share: Share) throws(Breach) {
        try expect(ShareDirectory.isName(share.name), "a share's name: \(share.name)")
        try expect((0...Share.delaySecondsMax).contains(share.delaySeconds), "delay")
        try expect((1...1_000_000).contains(share.maxViewers ?? 1), "maxViewers")
        try expect(share.expiresAt.map { $0 > now } ?? true, "expired before it is made")
        try expect(!share.scope.isEmpty && share.scope.isSubset(of: .all), "scope")
        try expect(
            Scope(names: share.scope.partNames.joined(separator: ",")) == share.scope,
            "a scope that is not read again")
        let label = share.label ?? ""
        try expect(
            label.count <= 64 && label.utf8.count <= labelBytesMax,
            "a label of \(label.utf8.count) bytes")
        try expect(CleanText.clean(label, charactersMax: 64) == label, "a label that is not clean")
    }

    static let seeds = [
        #"""
        {"device":"wrist","name":"family","expires":"24h","scope":["heartRate","location"],
        "delay":"5m","maxViewers":20,"label":"Ann é"}
        """#,
        #"{"shares":["a","b"],"scope":"heartRate, metrics","expires":"7.5d","delay":"250ms"}"#,
    ]
}
