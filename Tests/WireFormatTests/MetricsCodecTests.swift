import SensorModel
import Testing

@testable import WireFormat

@Suite struct MetricsCodecTests {
    @Test func `Each optional number of the metrics has a place in the record`() throws {
        let numbers = Mirror(reflecting: Metrics()).children.filter {
            type(of: $0.value) == Double?.self
        }
        #expect(MetricsCodec.optionalNumbers.count == numbers.count)
        var seen: Set<Metrics> = []
        for path in MetricsCodec.optionalNumbers {
            var metrics = Metrics()
            metrics[keyPath: path] = 12.5
            seen.insert(metrics)
            let event = StreamEvent(
                deviceTime: Timestamp(microseconds: 1), kind: .metrics(metrics))
            var bytes: [UInt8] = []
            StreamEventCodec.encode(event, to: &bytes)
            #expect(try StreamEventCodec.decode(bytes.span) == event)
        }
        #expect(seen.count == numbers.count, "two places hold one number")
    }
}
