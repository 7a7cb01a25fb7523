package import Logging
import Registry
package import Runtime
import Secrets
package import SensorModel
import Sharing
import Transport
import WireFormat

/// Authenticates devices by token, or by a proof of possession of the token.
package struct DeviceService: DeviceGate {
    package let accounts: Accounts
    package let catalog: SessionCatalog
    package let clock: @Sendable () -> Timestamp
    package let logger: Logger

    package init(
        accounts: Accounts, catalog: SessionCatalog, clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.accounts = accounts
        self.catalog = catalog
        self.clock = clock
        self.logger = logger
    }

    func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal> {
        accounts.device(withToken: token) == nil ? .failure(refusal(of: peer)) : .success(())
    }

    func admit(_ handshake: DeviceHandshake) -> Result<AdmittedDevice, HandshakeRefusal> {
        let known: Device?
        do throws(RegistryError) { known = try device(of: handshake) } catch {
            logger.error("a used proof cannot be kept: \(error)")
            return .failure(.unavailable)
        }
        guard let device = known else { return .failure(refusal(of: handshake.peer)) }
        let session = handshake.hello.session
        if let owner = catalog.device(of: session), owner != device.id {
            logger.warning(
                "a device asked for another's session",
                metadata: ["device": "\(device.name)"])
            return .failure(.tokenRefused)
        }
        let now = clock()
        accounts.withState { $0.lastSeen[device.id] = now }
        return .success(
            AdmittedDevice(
                device: device.id, tokenHash: device.tokenHash, session: session,
                recorded: handshake.hello.recorded))
    }

    /// - Throws: ``RegistryError`` when the device is known, but cannot be admitted now.
    private func device(of handshake: DeviceHandshake) throws(RegistryError) -> Device? {
        if let token = handshake.headerToken ?? handshake.hello.token {
            return accounts.device(withToken: token)
        }
        guard let proof = handshake.hello.proof, let name = handshake.hello.device else {
            return nil
        }
        return try device(named: name, proof: proof, hello: handshake.hello)
    }

    /// Verifies a proof. Only a holder of the token can make it; the token itself crosses no
    /// network.
    ///
    /// - Throws: ``RegistryError``: a proof that is not on disk could be used again after a crash,
    ///   so it is not accepted.
    private func device(
        named name: String, proof: String, hello: Hello
    ) throws(RegistryError) -> Device? {
        guard let sentAt = hello.sentAt.flatMap(Timestamp.init(secondsSince1970:)) else {
            return nil
        }
        let known = accounts.device(named: name).flatMap { $0.isRevoked ? nil : $0 }
        // An unknown name costs the same work: the time must not reveal whether it exists.
        let (id, sealed) =
            known.map { ($0.id, $0.sealedProofKey) } ?? (Accounts.nobody, accounts.nobodysProofKey)
        guard
            // A seal of another master key does not open: the token still works.
            let bytes = try? accounts.masterKey.open(sealed, for: .proofKey(id)),
            let used = ProofKey(bytes: bytes)?.verify(
                proof, session: hello.sessionText, sentAt: hello.sentAtText),
            let device = known
        else { return nil }
        try accounts.registry.requireWritable()
        let now = clock()
        let verdict = accounts.withState {
            $0.proofs.use(used, of: device.id, sentAt: sentAt, at: now)
        }
        guard verdict == .accepted else { return nil }
        try accounts.registry.addProof(
            UsedProof(proof: used, device: device.id, sentAt: sentAt),
            forgottenBefore: now.advanced(bySeconds: -ProofMemory.keptSeconds))
        return device
    }

    private func refusal(of peer: PeerAddress) -> HandshakeRefusal {
        let now = clock()
        let verdict = accounts.withState { $0.failures.failed(peer.key, at: now) }
        switch verdict {
        case .refuse: return .tokenRefused
        case .slowDown(let seconds): return .tooMany(retryAfterSeconds: seconds)
        }
    }
}
