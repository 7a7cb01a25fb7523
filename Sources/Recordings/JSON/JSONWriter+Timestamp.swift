import Bytes
import SensorModel

extension JSONWriter {
    /// Writes seconds since 1970, to the microsecond.
    mutating func seconds(_ key: String? = nil, _ time: Timestamp?) {
        seconds(key, microseconds: time?.microseconds)
    }
}
