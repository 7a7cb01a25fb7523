import Ingest

extension IngestSettings {
    init(_ configuration: Configuration) {
        self.init()
        retentionBytes = configuration.log.retentionBytes
        let configuration = configuration.ingest
        holdMicroseconds = Int64(configuration.holdSeconds * 1_000_000)
        heldFramesMax = configuration.holdFramesMax
        sessionsPerDeviceMax = configuration.sessionsPerDeviceMax
        sessionsRecordedMax = configuration.sessionsRecordedMax
        deviceMebibytesPerDay = configuration.deviceMebibytesPerDay
    }
}
