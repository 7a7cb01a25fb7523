import PushFormats
import Runtime
package import SensorModel

extension PushService {
    /// Frames that are sent before the log is asked whether it has them.
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
        // Before the line: it is a connection, which somebody has to close.
        if let refusal = refusal(of: frames, from: device) { return (refusal, session) }
        let line = newLine(of: session, from: device, isRecorded: true)
        var rest = frames[...]
        while !rest.isEmpty {
            let outcome = await line.send(Array(rest.prefix(Self.framesAtOnce)), at: clock())
            guard outcome == .recorded else {
                await line.close()
                // The disk takes nothing: what is there stays if it cannot be deleted either.
                _ = try? await administration.deleteSession(session, for: device)
                return (.notDurable, session)
            }
            rest = rest.dropFirst(Self.framesAtOnce)
        }
        await line.close()
        return (.recorded, session)
    }
}
