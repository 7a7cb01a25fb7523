package import SegmentLog

extension LogConfiguration {
    package init(_ settings: Configuration.Log, newEpoch: UInt32) {
        let durability: LogDurability =
            switch settings.durability {
            case .always: .always
            case .interval: .interval(milliseconds: settings.intervalMilliseconds)
            case .os: .os
            }
        self.init(
            durability: durability, segmentBytesMax: settings.segmentBytesMax,
            reserveBytes: settings.reserveBytes, newEpoch: newEpoch)
    }
}
