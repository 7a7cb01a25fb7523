import SensorModel

extension ProfileCodec {
    static func write(_ zones: ZoneScheme, _ writer: inout RecordWriter) {
        switch zones {
        case .percentOfMaximum: writer.byte(0)
        case .karvonen: writer.byte(1)
        case .friel: writer.byte(2)
        case .coggan: writer.byte(3)
        case .seiler: writer.byte(4)
        case .custom(let bounds):
            writer.byte(5)
            writer.count(bounds.count)
            for bound in bounds { writer.count(bound) }
        }
    }

    static func zones(
        _ reader: inout RecordReader, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> ZoneScheme {
        switch try reader.byte(bytes) {
        case 0: return .percentOfMaximum
        case 1: return .karvonen
        case 2: return .friel
        case 3: return .coggan
        case 4: return .seiler
        case 5:
            var bounds: [Int] = []
            for _ in 0..<(try reader.itemCount(bytes, bytesEach: 1)) {
                bounds.append(try reader.count(bytes))
            }
            return .custom(upperBounds: bounds)
        default: throw .unknownValue
        }
    }
}
