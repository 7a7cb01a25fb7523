package import Recordings
import SensorModel
package import WireFormat

extension Recording {
    /// The recording as received by a daemon: the binary form has fewer digits than some files.
    ///
    /// `push` sends this and `analyze` computes from it, so that both give identical results.
    ///
    /// - Returns: The same frames in wire precision; a heart rate within a motion frame becomes a
    ///   frame of its own, because the binary form cannot hold it.
    /// - Throws: ``FrameRefusal`` for a frame that no device could send.
    package func sent() throws(FrameRefusal) -> Recording {
        var sent = self
        sent.frames.removeAll(keepingCapacity: true)
        var bytes: [UInt8] = []
        for frame in frames {
            for part in frame.binaryParts {
                bytes.removeAll(keepingCapacity: true)
                BinaryFrame.encode(part, to: &bytes)
                guard let kind = FrameKind(rawValue: bytes[2]) else {
                    throw .unknownKind(bytes[2])
                }
                let header = FrameHeader(
                    kind: kind, sequence: part.sequence, deviceTime: part.deviceTime)
                let payload = bytes.span.extracting(Limits.frameHeaderBytes...)
                sent.frames.append(try FramePayload.decode(header, payload: payload))
            }
        }
        return sent
    }
}

extension Frame {
    fileprivate var binaryParts: [Frame] {
        guard case .motion(var batch) = payload, let beats = batch.heartRate,
            let sample = try? HeartRateSample(beatsPerMinute: beats)
        else { return [self] }
        batch.heartRate = nil
        return [
            Frame(sequence: .none, deviceTime: deviceTime, payload: .heartRate(sample)),
            Frame(sequence: .none, deviceTime: deviceTime, payload: .motion(batch)),
        ]
    }
}
