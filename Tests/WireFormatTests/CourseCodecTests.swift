import SensorModel
import Testing
import WireFormat

@Suite struct CourseCodecTests {
    private static func course(points: Int) -> Course {
        Course(
            points: (0..<points).map { index in
                .init(
                    latitude: -89.999_999_9 + Double(index) * 0.017_31,
                    longitude: index.isMultiple(of: 2) ? 180 : -179.123_456_78)
            },
            checkpoints: [
                .init(name: "Brücke", latitude: -45.5, longitude: 0.000_000_1),
                .init(name: "", latitude: 90, longitude: -180),
            ])
    }

    @Test(arguments: [1, 2, 300])
    func `A course comes back`(points: Int) throws {
        let course = Self.course(points: points)
        var bytes: [UInt8] = [7]
        CourseCodec.encode(course, to: &bytes)
        let record = bytes.span.extracting(1..<bytes.count)
        #expect(try CourseCodec.decode(record) == course)
        for cut in 1..<bytes.count {
            #expect(throws: RecordRefusal.self) {
                try CourseCodec.decode(bytes.span.extracting(1..<cut))
            }
        }
    }

    @Test func `No course comes back as none`() throws {
        var bytes: [UInt8] = []
        CourseCodec.encode(nil, to: &bytes)
        #expect(try CourseCodec.decode(bytes.span) == nil)
    }

    @Test(arguments: [4095, 4096, 4097, 9000, 100_000])
    func `A long way is thinned, from its first to its last point`(count: Int) {
        let points = (0..<count).map {
            Course.Point(latitude: Double($0) * 1e-4, longitude: 11)
        }
        let course = Course(points: points)
        #expect(course.points.count <= Course.pointsMax)
        #expect(course.points.count > min(count, Course.pointsMax) / 2 - 1)
        #expect(course.points.first == points.first)
        #expect(course.points.last == points.last)
    }

    @Test func `Flipped bytes are refused or mean something`() {
        var random = SplitMix(state: 9)
        var bytes: [UInt8] = []
        CourseCodec.encode(Self.course(points: 40), to: &bytes)
        var refused = 0
        for _ in 0..<3000 {
            var flipped = bytes
            flipped[Int.random(in: 0..<bytes.count, using: &random)] ^=
                UInt8.random(in: 1...255, using: &random)
            do { _ = try CourseCodec.decode(flipped.span) } catch { refused += 1 }
        }
        #expect(refused > 300)
    }
}
