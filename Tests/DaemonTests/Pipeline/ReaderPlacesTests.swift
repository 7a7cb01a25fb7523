import Runtime
import SensorModel
import Testing

@testable import Runtime

struct ReaderPlacesTests {
    private static let now = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let parties = (1...5).map { LinkParty.device(DeviceID(rawValue: $0)) }

    /// - Returns: The sizes of the groups of readers that got places, asking one after the other.
    private static func admitted(
        _ counts: [Int], to places: inout ReaderPlaces, by party: LinkParty, at now: Timestamp
    ) -> [Int] {
        var admitted: [Int] = []
        for count in counts where places.enter(count, by: party, at: now) { admitted.append(count) }
        return admitted
    }

    @Test func `One device never takes all places`() {
        var places = ReaderPlaces()
        func admitted(_ counts: [Int], by index: Int, after seconds: Double = 0) -> [Int] {
            Self.admitted(
                counts, to: &places, by: Self.parties[index],
                at: Self.now.advanced(bySeconds: seconds))
        }
        let most = ReaderPlaces.placesPerPartyMax
        for index in 0..<(ReaderPlaces.placesMax / most) {
            #expect(admitted([most + 1, most - 50, 50, 1], by: index) == [most - 50, 50])
        }
        #expect(admitted([1], by: 4).isEmpty)
        places.leave(50, by: Self.parties[0])
        #expect(admitted([49, 2], by: 4) == [49])
        #expect(places.hasRoom(1, for: Self.parties[0]))
        #expect(admitted([1, 1], by: 0, after: 1) == [1])
        #expect(!places.hasRoom(1, for: Self.parties[0]))
    }

    /// Each heart rate goes to each reader: 1000 a second of one device would occupy the daemon.
    @Test func `What readers are told is paced by their number`() {
        var pace = NewsPace()
        func told(_ party: Int, readers: Int, after seconds: Double = 0) -> Int {
            let now = Self.now.advanced(bySeconds: seconds)
            return (0..<5000).count { _ in pace.mayTell(Self.parties[party], readers, at: now) }
        }
        #expect(told(0, readers: 750) == 2)
        #expect(told(1, readers: 1) == 1500)
        let rest = told(2, readers: 10) * 10 + told(3, readers: 10) * 10
        #expect(rest == 1000, "4,000 of all")
        #expect(told(0, readers: 750, after: 1) == 1)
    }

    /// Each new reader asks the pipeline: sockets that join and leave without end would occupy it.
    @Test func `Readers that come and go are paced, all links of a device together`() {
        var places = ReaderPlaces()
        func coming(at now: Timestamp) -> Int {
            (0..<10_000).count { number in
                let party = LinkParty(
                    ShareKey(rawValue: UInt32(number % 64)), of: DeviceID(rawValue: 1))
                guard places.enter(1, by: party, at: now) else { return false }
                places.leave(1, by: party)
                return true
            }
        }
        #expect(coming(at: Self.now) == ReaderPlaces.placesPerPartyMax)
        #expect(coming(at: Self.now.advanced(bySeconds: 10)) == 250)
        #expect(Self.admitted([1], to: &places, by: Self.parties[1], at: Self.now) == [1])
    }
}
