import SensorModel
import Transport

/// A gate that admits no device and no viewer.
struct ClosedGate: DeviceGate, ViewerGate {
    /// Refusal that every device gets.
    let refusal: HandshakeRefusal

    func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal> {
        .failure(refusal)
    }

    func admit(_ handshake: DeviceHandshake) -> Result<AdmittedDevice, HandshakeRefusal> {
        .failure(refusal)
    }

    func resolve(share: String, peer: PeerAddress) -> Result<ResolvedShare, ViewerRefusal> {
        .failure(.unknown)
    }

    // Called for admitted viewers only.
    func subscribe(_ request: SubscriptionRequest) {}
    func unsubscribe(_ subscriber: SubscriberID, from key: ShareKey) {}
    func viewerSaid(
        _ subscriber: SubscriberID, watching key: ShareKey, _ text: [UInt8]
    ) -> ViewerCommandRefusal? { nil }
    func readyForMore(_ subscriber: SubscriberID, watching key: ShareKey) {}
}
