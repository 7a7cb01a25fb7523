public import SensorModel

/// Distinguishes repeated items from new ones.
///
/// Applications repeat a whole batch when an answer is lost, and their items have no numbers. Items
/// with the same time and the same value are the same item.
public struct PushMemory: Sendable {
    /// Maximum number of frames: enough for two batches of Overland, which have up to 1,000 points.
    public static let framesMax = 4096

    private var known: Set<Frame> = []
    /// Frames in order of arrival; the next one to evict is at ``oldest``.
    private var order: [Frame] = []
    private var oldest = 0

    public init() {}

    /// - Parameter frames: Frames of one request.
    /// - Returns: New frames, in their order. Motion always counts as new: it is too large to
    ///   store, and the applications that send it do not repeat it.
    public mutating func fresh(_ frames: [Frame]) -> [Frame] {
        frames.filter { frame in
            if case .motion = frame.payload { return true }
            return remember(frame)
        }
    }

    private mutating func remember(_ frame: Frame) -> Bool {
        guard known.insert(frame).inserted else { return false }
        if order.count < Self.framesMax {
            order.append(frame)
        } else {
            known.remove(order[oldest])
            order[oldest] = frame
            oldest = (oldest + 1) % Self.framesMax
        }
        return true
    }
}
