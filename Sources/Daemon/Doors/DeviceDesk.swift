import Logging
import Registry
import Secrets
import SensorModel
import Sharing
import Transport
import WireFormat

/// Lets devices in: by token, or by a proof that they have it.
struct DeviceDesk: DeviceGate {
    let accounts: Accounts
    let catalog: SessionCatalog
    let clock: @Sendable () -> Timestamp
    let logger: Logger

    func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal> {
        accounts.device(withToken: token) == nil ? .failure(refusal(of: peer)) : .success(())
    }

    func admit(_ knock: DeviceKnock) -> Result<AdmittedDevice, HandshakeRefusal> {
        guard let device = device(of: knock) else { return .failure(refusal(of: knock.peer)) }
        let session = knock.hello.session
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
                device: device.id, session: session, recorded: knock.hello.recorded))
    }

    private func device(of knock: DeviceKnock) -> Device? {
        if let token = knock.headerToken ?? knock.hello.token {
            return accounts.device(withToken: token)
        }
        guard let proof = knock.hello.proof, let name = knock.hello.device else { return nil }
        return device(named: name, proof: proof, hello: knock.hello)
    }

    /// Whoever knows the token can make the proof; the token itself crosses no network.
    private func device(named name: String, proof: String, hello: Hello) -> Device? {
        guard let sentAt = hello.sentAt.flatMap(Timestamp.init(secondsSince1970:)) else {
            return nil
        }
        let known = accounts.device(named: name).flatMap { $0.isRevoked ? nil : $0 }
        // For a name that nobody has the same is done: the time must not tell.
        let (id, sealed) =
            known.map { ($0.id, $0.sealedProofKey) } ?? (Accounts.nobody, accounts.nobodysProofKey)
        guard
            // A seal of another master key does not open: the token still works.
            let bytes = try? accounts.masterKey.open(sealed, for: .proofKey(id)),
            let used = ProofKey(bytes: bytes)?.verify(
                proof, session: hello.sessionText, sentAt: hello.sentAtText),
            let device = known
        else { return nil }
        let now = clock()
        let verdict = accounts.withState {
            $0.proofs.use(used, of: device.id, sentAt: sentAt, at: now)
        }
        guard verdict == .accepted else { return nil }
        let forgotten = now.advanced(bySeconds: -ProofMemory.keptSeconds)
        do {
            try accounts.registry.addProof(
                UsedProof(proof: used, device: device.id, sentAt: sentAt),
                forgottenBefore: forgotten)
        } catch {
            // What is not on disk could be used again after a crash: no welcome without it.
            logger.error("a used proof cannot be kept: \(error)")
            return nil
        }
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
