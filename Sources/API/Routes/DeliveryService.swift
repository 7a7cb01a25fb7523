import Client
import Logging
import Registry
package import Runtime
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

/// Where a device's owner wants finished runs delivered, and what became of them.
package struct DeliveryService: Sendable {
    /// Most deliveries in an answer.
    private static let listedMax = 100
    private static let sports = 1...999

    let administration: Administration
    let sessions: SessionRoutes
    let sender: DeliverySender
    let center: DeliveryCenter

    package init(
        administration: Administration, sessions: SessionRoutes, sender: DeliverySender,
        center: DeliveryCenter
    ) {
        self.administration = administration
        self.sessions = sessions
        self.sender = sender
        self.center = center
    }

    private struct TargetBody: StrictBody {
        static var fields: [String] { CodingKeys.allCases.map(\.rawValue) }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case kind, address, secret, sport
        }

        let kind: String
        let address: String?
        let secret: String?
        let sport: Int?
    }

    private struct SendBody: StrictBody {
        static var fields: [String] { ["target", "session"] }

        let target: String
        let session: String
    }

    private struct TargetRow: Encodable {
        let name: String
        let kind: String
        let address: String
        let hasSecret: Bool
        let sport: Int?

        init(_ target: DeliveryTarget) {
            name = target.name
            kind = target.kind.rawValue
            address = target.address
            hasSecret = target.secret != nil
            sport = target.kind == .fittrackee ? target.sport : nil
        }
    }

    private struct Row: Encodable {
        let session: String
        let target: String
        let state: String
        let tries: Int
        let changedAt: Double
        /// Time of the next try; `null`: there is none.
        let dueAt: NullableField<Double>
        /// Why the last try failed; `null`: it did not.
        let reason: NullableField<String>
        /// Whether the run went on after it was delivered.
        let hasGoneOn: Bool
    }

    private var accounts: Accounts { administration.accounts }

    // MARK: Targets

    func targets(of device: Device) throws -> HTTPResponse {
        JSONBody.response(try accounts.targets(of: device.id).map(TargetRow.init))
    }

    /// Adds a target, or changes the one of the same name. A secret that is not given stays, as
    /// long as kind and address do: it must not go to another server.
    func put(_ request: HTTPRequest, of device: Device) throws -> HTTPResponse {
        let body = try JSONBody.decode(TargetBody.self, of: request)
        let name = try OutsideFields.name("target", of: request)
        guard let kind = DeliveryTarget.Kind(rawValue: body.kind) else {
            let names = DeliveryTarget.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIRefusal.badField(name: "kind", allowed: names)
        }
        var target = DeliveryTarget(
            name: name, kind: kind, address: body.address ?? "",
            secret: body.secret.flatMap { $0.isEmpty ? nil : $0 },
            madeAt: administration.clock())
        let known = try accounts.targets(of: device.id)
        let earlier = known.first { $0.isNamed(name) }
        guard earlier != nil || known.count < DeliveryTarget.perDeviceMax else {
            throw RegistryError.targetsFull(DeliveryTarget.perDeviceMax)
        }
        if let earlier, earlier.kind == kind, earlier.address == target.address {
            target.sport = earlier.sport
            if body.secret == nil { target.secret = earlier.secret }
        }
        target.sport = body.sport ?? target.sport
        let isKept = target.secret != nil && target.secret == earlier?.secret
        // A renewed secret is of a form that no owner gives.
        try OutsideFields.check(
            address: target.address, secret: isKept ? nil : target.secret,
            bytesMax: DeliveryTarget.bytesMax)
        if !isKept { try Self.check(secret: target.secret, of: kind) }
        try check(target)
        try accounts.changing(device) { [target] in
            try accounts.putTarget(target, of: $0.id)
        }
        if let earlier { center.forget(earlier) }
        administration.logger.log(
            .deviceChanged, .notice, "target of runs set",
            ["device": "\(device.name)", "target": "\(name)"])
        return JSONBody.response(TargetRow(target))
    }

    func remove(_ request: HTTPRequest, of device: Device) throws -> HTTPResponse {
        let removed = try target(named: try OutsideFields.name("target", of: request), of: device)
        try accounts.changing(device) {
            try accounts.removeTarget(named: removed.name, of: $0.id)
        }
        center.forget(removed)
        administration.logger.log(
            .deviceChanged, .notice, "target of runs removed",
            ["device": "\(device.name)", "target": "\(removed.name)"])
        return HTTPResponse(status: 204)
    }

    private func target(named name: String, of device: Device) throws -> DeliveryTarget {
        let found = try accounts.targets(of: device.id).first { $0.isNamed(name) }
        guard let found else { throw RegistryError.unknownTarget(name) }
        return found
    }

    private func check(_ target: DeliveryTarget) throws(APIRefusal) {
        guard Self.sports.contains(target.sport) else {
            let range = Self.sports
            throw .badField(name: "sport", allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
        if target.kind == .folder {
            guard target.address.isEmpty, target.secret == nil else {
                throw .badField(
                    name: "address", allowed: "nothing, nor a secret: the daemon has the folder")
            }
            guard sender.folder != nil else {
                throw .conflict("the daemon's owner has set no deliveries.folder")
            }
            return
        }
        guard let address = try? DeliveryRequest.address(of: target) else {
            throw .badField(name: "address", allowed: "https://host/…")
        }
        if let allowed = sender.trustedHosts.allowed(insteadOf: address) {
            throw .badField(name: "address", allowed: allowed)
        }
        if target.kind != .webhook, address.target.contains("?") {
            throw .badField(name: "address", allowed: "the server's address without a query")
        }
    }

    private static func check(
        secret: String?, of kind: DeliveryTarget.Kind
    ) throws(APIRefusal) {
        switch kind {
        case .webhook, .folder: break
        case .intervals:
            guard secret != nil else {
                throw .badField(
                    name: "secret", allowed: "the API key of intervals.icu's page of settings")
            }
        case .fittrackee:
            guard let secret, FitTrackeeSecret.isGiven(secret) else {
                throw .badField(
                    name: "secret", allowed: "an access token, or ID:SECRET:REFRESHTOKEN of an app")
            }
        }
    }

    // MARK: Deliveries

    /// The newest deliveries, newest first.
    func list(_ device: Device) throws -> HTTPResponse {
        let names = Dictionary(
            uniqueKeysWithValues: try accounts.targets(of: device.id).map { ($0.id, $0.name) })
        let rows = try accounts.registry.deliveries(of: device.id, newest: Self.listedMax)
            .compactMap { delivery in names[delivery.target].map { row(delivery, to: $0) } }
        return JSONBody.response(rows)
    }

    /// Delivers a session now, also if it was before, but not one that goes on: it is delivered
    /// whole when it ends.
    func send(_ request: HTTPRequest, of device: Device) async throws -> HTTPResponse {
        let body = try JSONBody.decode(SendBody.self, of: request)
        let target = try target(named: body.target, of: device)
        var named = request
        named.parameters["id"] = body.session
        let session = try sessions.named(named, of: device.id).session
        let hasEnded = await sender.pipeline.mailbox.ask { $0.sessions[session]?.hasEnded ?? true }
        guard hasEnded ?? true else {
            throw APIRefusal.conflict("the run goes on: it is delivered when it has ended")
        }
        let made = try sender.pipeline.results.addDelivery(
            of: session, to: target, of: device.id, at: administration.clock(), isAgain: true)
        guard let made else {
            throw APIRefusal.conflict(
                "it is on its way to \(target.name), or was sent within a minute")
        }
        center.insert(made)
        return JSONBody.response(row(made, to: target.name), status: 202)
    }

    private func row(_ delivery: Delivery, to target: String) -> Row {
        let frames = administration.catalog.summary(of: delivery.session)?.frames
        let isWaiting = delivery.state == .waiting
        return Row(
            session: "\(delivery.session)", target: target, state: delivery.state.rawValue,
            tries: delivery.tries, changedAt: delivery.changedAt.secondsSince1970,
            dueAt: NullableField(isWaiting ? delivery.dueAt.secondsSince1970 : nil),
            reason: NullableField(delivery.reason),
            hasGoneOn: delivery.frames.map { $0 < frames ?? 0 } ?? false)
    }
}
