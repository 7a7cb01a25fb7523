import Cluster
package import SegmentLog

extension LogConfiguration {
    package init(_ configuration: Configuration, newEpoch: UInt32) {
        let settings = configuration.log
        let durability: LogDurability =
            switch settings.durability {
            case .always: .always
            case .interval: .interval(milliseconds: settings.intervalMilliseconds)
            case .os: .os
            }
        self.init(
            durability: durability, segmentBytesMax: settings.segmentBytesMax,
            reserveBytes: settings.reserveBytes, newEpoch: newEpoch)
        if !configuration.cluster.urls.isEmpty { offsetJump = Replicator.offsetJump }
    }
}
