import Glibc
import SegmentLog
import SensorModel

extension SegmentLog {
    private static let pollMicroseconds: UInt32 = 1000
    private static let pollsMax = 2000

    /// Waits until readers can see a record that was appended and flushed, and no longer than two
    /// seconds: a failed disk must not hold a viewer. Not on a loop and not on the pipeline.
    func waitUntilWritten(through offset: RecordOffset) {
        for _ in 0..<Self.pollsMax where writtenEnd <= offset {
            usleep(Self.pollMicroseconds)
        }
    }
}
