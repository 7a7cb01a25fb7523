public import SensorModel

/// Tells what an application sent again from what is new.
///
/// Applications repeat a whole batch when an answer got lost, and their items carry no numbers;
/// an item with the same time and the same value is the same item.
public struct PushMemory: Sendable {
    /// A batch of Overland's has up to 1,000 points; two of them fit.
    public static let framesMax = 4096

    private var known: Set<Frame> = []
    /// In the order they came; the next one to forget is at ``oldest``.
    private var order: [Frame] = []
    private var oldest = 0

    public init() {}

    /// - Parameter frames: Of one request.
    /// - Returns: Those not seen before, in their order. Motion is always new: it is too large
    ///   to be kept, and the applications that send it do not repeat it.
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
