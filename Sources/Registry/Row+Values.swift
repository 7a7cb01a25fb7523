import Foundation
import GRDB
import SensorModel

/// Column formats of the project's values: times as microseconds, secrets and UUIDs as bytes.
extension Row {
    func time(_ column: String) -> Timestamp? {
        (self[column] as Int64?).map(Timestamp.init(microseconds:))
    }

    /// Reads a time from a column that is never null.
    func moment(_ column: String) -> Timestamp { Timestamp(microseconds: self[column]) }

    func bytes(_ column: String) -> [UInt8] { Array((self[column] as Data?) ?? Data()) }

    func device(_ column: String) -> DeviceID { DeviceID(rawValue: self[column]) }

    func share(_ column: String) -> ShareKey { ShareKey(rawValue: self[column]) }

    func hash(_ column: String, of table: String) throws(RegistryError) -> SecretHash {
        guard let hash = SecretHash(bytes: bytes(column)) else {
            throw .damagedRow(table: table)
        }
        return hash
    }
}

extension Timestamp {
    var column: Int64 { microseconds }
}

extension SecretHash {
    var column: Data { Data(bytes) }
}

extension SessionID {
    var column: Data {
        Data(
            [high, low].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
            })
    }

    init?(column bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        // A search reads 50,000.
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            high = high << 8 | UInt64(bytes[index])
            low = low << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: high, low: low)
    }
}
