import SensorModel
import Testing
import WireFormat

@Suite struct CourseCodecTests {
    private static func course(points: Int, hasAltitudes: Bool = false) -> Course {
        let heights = (0..<points).map { (index: Int) -> Double in
            Double(index * 7919 % 9400) - 431.2 + Double(index % 10) / 10
        }
        return Course(
            points: (0..<points).map { index in
                .init(
                    latitude: -89.999_999_9 + Double(index) * 0.017_31,
                    longitude: index.isMultiple(of: 2) ? 180 : -179.123_456_78)
            },
            altitudes: hasAltitudes ? heights : [],
            checkpoints: [
                .init(name: "Brücke", latitude: -45.5, longitude: 0.000_000_1),
                .init(name: "", latitude: 90, longitude: -180),
            ])
    }

    @Test(arguments: [1, 2, 300], [false, true])
    func `A course comes back`(points: Int, hasAltitudes: Bool) throws {
        let course = Self.course(points: points, hasAltitudes: hasAltitudes)
        #expect(course.altitudes.count == (hasAltitudes ? points : 0))
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

    @Test func `Only whole altitudes of the earth are altitudes, and are thinned with the points`()
    {
        let points = (0..<9000).map { Course.Point(latitude: Double($0) * 1e-4, longitude: 11) }
        let heights = points.indices.map { Double($0) / 10 + 0.04 }
        let course = Course(points: points, altitudes: heights)
        #expect(course.altitudes.count == course.points.count)
        #expect(course.altitudes.first == 0 && course.altitudes.last == 899.9)
        let (short, high) = (Array(heights.dropLast()), heights.map { $0 + 9000 })
        for wrong in [short, high, [Double.nan] + short] {
            #expect(Course(points: points, altitudes: wrong).altitudes.isEmpty)
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

    @Test(arguments: [false, true])
    func `Flipped bytes are refused or mean something`(hasAltitudes: Bool) {
        var random = SplitMix(state: 9)
        var bytes: [UInt8] = []
        CourseCodec.encode(Self.course(points: 40, hasAltitudes: hasAltitudes), to: &bytes)
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
