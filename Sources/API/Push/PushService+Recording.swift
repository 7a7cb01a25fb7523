import PushFormats
import Runtime
package import SensorModel

extension PushService {
    /// Frames that are sent before the next wait for the log.
    private static let framesAtOnce = 500

    /// Records the frames of a file as a session of its own, whole or not at all.
    ///
    /// - Parameters:
    ///   - frames: In order of time, with the end.
    ///   - device: Device whose token the request carried.
    /// - Returns: The outcome, once the log has the frames or refuses them, and the session.
    package func record(
        _ frames: [Frame], from device: DeviceID
    ) async -> (outcome: PushOutcome, session: SessionID) {
        var generator = SystemRandomNumberGenerator()
        let session = SessionID.imported(using: &generator)
        // Checked before the queue is opened, because a queue is a connection that must be closed.
        if let refusal = refusal(of: frames, from: device) { return (refusal, session) }
        let queue = newQueue(of: session, from: device, isRecorded: true)
        var rest = frames[...]
        while !rest.isEmpty {
            let outcome = await queue.send(Array(rest.prefix(Self.framesAtOnce)), at: clock())
            guard outcome == .recorded else {
                await queue.close()
                // A part that cannot be deleted either, as on a failed disk, stays.
                _ = try? await administration.deleteSession(session, for: device)
                return (.notDurable, session)
            }
            rest = rest.dropFirst(Self.framesAtOnce)
        }
        await queue.close()
        return (.recorded, session)
    }
}
