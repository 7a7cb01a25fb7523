import FaultyDisk
import SensorModel
import Testing

@testable import SegmentLog

@Suite struct SessionPlacesTests {
    @Test(arguments: UInt64(0)..<200)
    func `A replaced segment leaves the places as if they were built anew`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var entries = (1...4).map { entry(UInt64($0), parts: parts(&random)) }
        var places = SessionPlaces(SegmentList(entries))
        for _ in 0..<6 {
            let index = Int.random(in: 0..<entries.count, using: &random)
            let old = entries[index]
            // An erasure leaves the segment in place or rewrites it with other numbers.
            let fresh =
                Bool.random(using: &random)
                ? old.index.parts.map { Bool.random(using: &random) ? .unknown : $0 }
                : parts(&random)
            entries[index] = entry(old.number, parts: fresh)
            places.replace(old, by: entries[index])

            let anew = SessionPlaces(SegmentList(entries))
            for session in (0..<12).map(session(_:)) {
                #expect(places.places(of: session) == anew.places(of: session))
            }
            for device in (0..<3).map({ DeviceID(rawValue: $0) }) {
                #expect(places.sessions(of: device) == anew.sessions(of: device))
            }
        }
    }

    private func session(_ number: UInt64) -> SessionID { SessionID(high: 0, low: number + 1) }

    /// Parts of some of 12 sessions in any order; a session's device is always the same.
    private func parts(_ random: inout SplitMix) -> [SegmentIndex.Part] {
        (0..<12).shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random)).map {
            SegmentIndex.Part(
                session: session(UInt64($0)), device: DeviceID(rawValue: UInt32($0 % 3)),
                firstOffset: 1, lastOffset: 1, records: UInt64.random(in: 0...2, using: &random))
        }
    }

    private func entry(_ number: UInt64, parts: [SegmentIndex.Part]) -> SegmentEntry {
        let header = SegmentHeader(
            epoch: 1, number: number, previous: number - 1, firstOffset: number, arrivalBase: 0,
            generation: 0)
        var entry = LogCore.entry(of: header)
        entry.index.parts = parts
        return entry
    }
}
