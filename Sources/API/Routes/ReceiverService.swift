import Client
import Registry
package import Runtime
import SensorModel
import Sharing
import Synchronization
import Transport

/// Whom a device's owner wants told of alerts.
package struct ReceiverService: Sendable {
    let administration: Administration
    let teller: AlertTeller
    let alerts: AlertCenter
    private let tests: ReceiverTrials

    package init(administration: Administration, teller: AlertTeller, alerts: AlertCenter) {
        self.administration = administration
        self.teller = teller
        self.alerts = alerts
        tests = ReceiverTrials()
    }

    private struct Body: StrictBody {
        static var fields: [String] { CodingKeys.allCases.map(\.rawValue) }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case kind, address, secret, silentMinutes, trusted
        }

        let kind: String
        let address: String?
        let secret: String?
        let silentMinutes: Int?
        let trusted: Bool?
    }

    private struct Row: Encodable {
        let name: String
        let kind: String
        let address: String
        let hasSecret: Bool
        let silentMinutes: NullableField<Int>
        let trusted: Bool
        /// The share that says what it may see; `null`: it is over, and the messages tell less.
        let share: NullableField<String>
        var warning: String?
    }

    private struct Tried: Encodable {
        let delivered: Bool
        let status: NullableField<Int>
    }

    private var accounts: Accounts { administration.accounts }

    func list(_ device: Device) throws -> HTTPResponse {
        JSONBody.response(try accounts.receivers(of: device.id).map { row($0) })
    }

    /// Adds a receiver, or replaces the one of the same name. The first one of a device makes the
    /// share that says what receivers may see.
    func put(_ request: HTTPRequest, of device: Device) throws -> HTTPResponse {
        let body = try JSONBody.decode(Body.self, of: request)
        let name = try OutsideFields.name("receiver", of: request)
        guard let kind = Receiver.Kind(rawValue: body.kind) else {
            let names = Receiver.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw APIRefusal.badField(name: "kind", allowed: names)
        }
        try check(body, kind, of: device)
        let secret = body.secret.flatMap { $0.isEmpty ? nil : $0 }
        let known = try accounts.receivers(of: device.id)
        let earlier = known.first { $0.isNamed(name) }
        guard earlier != nil || known.count < Receiver.perDeviceMax else {
            throw RegistryError.receiversFull(Receiver.perDeviceMax)
        }
        guard kind != .mqtt || !known.contains(where: { $0.kind == .mqtt && !$0.isNamed(name) })
        else { throw APIRefusal.conflict("another receiver is the broker already") }
        let (share, warning) = try share(for: device)
        let receiver = Receiver(
            name: name, kind: kind, address: body.address ?? "", secret: secret,
            silentMinutes: body.silentMinutes, isTrusted: body.trusted ?? false,
            share: share.key)
        try accounts.changing(device) { try accounts.putReceiver(receiver, of: $0.id) }
        if let earlier { alerts.withdraw(earlier, of: device.id) }
        var row = row(receiver)
        row.warning = warning
        return JSONBody.response(row)
    }

    /// Removes a receiver. An open live link that it knows ends. The share goes with its last
    /// receiver.
    func remove(_ request: HTTPRequest, of device: Device) async throws -> HTTPResponse {
        let name = try OutsideFields.name("receiver", of: request)
        let removed = try Self.receiver(named: name, of: try accounts.receivers(of: device.id))
        try accounts.changing(device) { try accounts.removeReceiver(named: name, of: $0.id) }
        alerts.withdraw(removed, of: device.id)
        teller.broker?.tidySoon()
        let others = try accounts.receivers(of: device.id)
        guard let share = teller.activeShare(of: removed) else { return HTTPResponse(status: 204) }
        if others.contains(where: { $0.share == share.key }) {
            if teller.links.withLock({ $0[share.key] != nil }) {
                await teller.endLink(of: share.key)
            }
        } else {
            try administration.revokeShare(share)
        }
        return HTTPResponse(status: 204)
    }

    private static func receiver(
        named name: String, of receivers: [Receiver]
    ) throws(RegistryError) -> Receiver {
        guard let found = receivers.first(where: { $0.isNamed(name) }) else {
            throw .unknownReceiver(name)
        }
        return found
    }

    /// Sends a message that says that it is a test.
    func test(_ request: HTTPRequest, of device: Device) async throws -> HTTPResponse {
        let name = try OutsideFields.name("receiver", of: request)
        let receivers = await administration.changes.run { [accounts] in
            Result { () throws(RegistryError) in try accounts.receivers(of: device.id) }
        }
        let receiver = try Self.receiver(named: name, of: try receivers.get())
        if let wait = tests.secondsToWait(for: device.id, at: administration.clock()) {
            throw APIRefusal.tooMany(
                "one test in \(Int(ReceiverTrials.seconds)) s, and few at once: try again in"
                    + " \(wait) s", retryAfterSeconds: wait)
        }
        let status = await teller.test(receiver, of: device)
        tests.ended()
        return JSONBody.response(
            Tried(
                delivered: AlertTeller.isTaken(status),
                status: NullableField(status)))
    }

    private func check(
        _ body: Body, _ kind: Receiver.Kind, of device: Device
    ) throws(APIRefusal) {
        if kind == .mqtt {
            try checkBroker(body, of: device)
        } else {
            try checkAddress(body, kind)
        }
        if let minutes = body.silentMinutes, !Receiver.silentMinutes.contains(minutes) {
            let range = Receiver.silentMinutes
            throw .badField(
                name: "silentMinutes", allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
    }

    private func checkBroker(_ body: Body, of device: Device) throws(APIRefusal) {
        for (name, value) in [("address", body.address), ("secret", body.secret)]
        where !(value ?? "").isEmpty {
            throw .badField(name: name, allowed: "nothing here: the server knows its broker")
        }
        guard let broker = teller.broker, broker.mayPublish(of: device.name) else {
            throw .badValue(
                "this server takes no alerts of \(device.name) to an MQTT broker: ask who runs it,"
                    + " who can set mqtt.alerts")
        }
    }

    private func checkAddress(_ body: Body, _ kind: Receiver.Kind) throws(APIRefusal) {
        let text = body.address ?? ""
        try OutsideFields.check(address: text, secret: body.secret, bytesMax: Receiver.bytesMax)
        guard let address = try? ServerAddress(text) else {
            throw .badField(name: "address", allowed: "https://host/…")
        }
        if let allowed = teller.trustedHosts.allowed(insteadOf: address) {
            throw .badField(name: "address", allowed: allowed)
        }
        if kind == .ntfy, address.target.split(separator: "/").isEmpty {
            throw .badField(name: "address", allowed: "https://server/topic")
        }
    }

    /// The share of the device's other receivers, or a new one.
    private func share(for device: Device) throws -> (share: Share, warning: String?) {
        for receiver in try accounts.receivers(of: device.id) {
            if let share = teller.activeShare(of: receiver) { return (share, nil) }
        }
        let made = try administration.createShare(
            ShareRequest(label: device.name), of: .device(device.id), stem: "alerts", by: device)
        return (made.share, administration.warning(about: made.share))
    }

    private func row(_ receiver: Receiver) -> Row {
        Row(
            name: receiver.name, kind: receiver.kind.rawValue, address: receiver.address,
            hasSecret: receiver.secret != nil,
            silentMinutes: NullableField(receiver.silentMinutes), trusted: receiver.isTrusted,
            share: NullableField(teller.activeShare(of: receiver)?.name))
    }
}
