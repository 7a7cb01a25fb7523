import SensorModel
import Testing

@testable import PushFormats

@Suite struct PhoneSetupTests {
    private func setup(_ format: PushFormat) -> PhoneSetup {
        setup(.push(format))
    }

    private func setup(_ application: PhoneApplication) -> PhoneSetup {
        PhoneSetup(
            application, baseURL: "https://run.example:7480", device: "Anna's watch",
            token: "a+b/c")
    }

    @Test func `The browser's link has the token where no server sees it`() throws {
        let setup = setup(.browser)
        #expect(setup.link == "https://run.example:7480/record#a%2Bb%2Fc")
        #expect(setup.isDeepLink && !setup.steps.isEmpty)
        #expect(PhoneApplication(named: "Browser") == .browser)
        #expect(PhoneApplication.allCases.count == PushFormat.allCases.count + 1)
        for application in PhoneApplication.allCases {
            #expect(PhoneApplication(named: application.name) == application)
        }
    }

    @Test(arguments: [
        ("Sensor Logger", PushFormat.sensorlogger), ("sensor-logger", .sensorlogger),
        ("OwnTracks", .owntracks), ("Traccar Client", .osmand), ("hr_push", .hrpush), ("hr", .hr),
        ("Health Data Server", .hds),
    ])
    func `An application goes by its name, however it is spelt`(name: String, format: PushFormat) {
        #expect(PushFormat(application: name) == format)
        #expect(PushFormat(application: name + "x") == nil)
    }

    @Test func `Overland opens its own link`() {
        #expect(
            setup(.overland).link == """
                overland://setup?url=https%3A%2F%2Frun.example%3A7480%2Fin%2Foverland\
                &token=a%2Bb%2Fc&device_id=Anna%27s%20watch
                """)
    }

    @Test func `OwnTracks opens a configuration in base 64`() throws {
        let link = setup(.owntracks).link
        #expect(link.hasPrefix("owntracks:///config?inline=ey"))
        #expect(!link.dropFirst(30).contains { $0 == "+" || $0 == "/" || $0 == "=" })
    }

    @Test func `OsmAnd is told its whole query, with what this format does not take left out`() {
        let setup = setup(.osmand)
        #expect(
            setup.steps.last?.contains(
                "\(setup.link)?lat={0}&lon={1}&timestamp={2}&accuracy={3}&altitude={4}") == true)
        #expect(setup.steps.last?.contains("{5}") == false)
    }

    @Test(arguments: PushFormat.allCases)
    func `Every application is told an address and what to do`(format: PushFormat) {
        let setup = setup(format)
        #expect(!setup.steps.isEmpty && setup.steps.allSatisfy { $0.hasSuffix(".") })
        if !setup.isDeepLink {
            let address = "https://run.example:7480/in/\(format.rawValue)/a%2Bb%2Fc"
            #expect(setup.link.hasPrefix(address))
        }
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `Base 64 is that of RFC 4648`(text: String, wanted: String) {
        #expect(PhoneSetup.base64(Array(text.utf8)) == wanted)
    }

    /// The expected squares were verified with an independent decoder.
    @Test func `A short text is the smallest square`() throws {
        let code = try #require(QRCode("a"))
        let rows = (0..<code.size).map { y in
            String((0..<code.size).map { code[$0, y] ? "#" : "." })
        }
        let wanted = """
            #######.....#.#######
            #.....#.###.#.#.....#
            #.###.#...##..#.###.#
            #.###.#..#..#.#.###.#
            #.###.#.#.#.#.#.###.#
            #.....#..##.#.#.....#
            #######.#.#.#.#######
            ...........##........
            #.#.#.#..#.#....#..#.
            .##..#.####...#...##.
            ...#.##.#...#...#...#
            #.......##....#...#..
            #....##.#...#.#.#.#.#
            ........#..#.#.#.#.##
            #######....#.###.####
            #.....#..#.###.###...
            #.###.#.#..#.###.##.#
            #.###.#.......#...##.
            #.###.#.#...#...#...#
            #.....#..##...#...##.
            #######.##..#.#.#.###
            """
        #expect(rows.joined(separator: "\n") == wanted)
    }

    @Test func `Longer texts need larger squares, and there is an end`() {
        var last = 0
        for bytes in stride(from: 1, through: 666, by: 95) {
            let size = QRCode(String(repeating: "x", count: bytes))?.size ?? 0
            #expect(size >= last)
            last = size
        }
        #expect(last == 97)
        #expect(QRCode(String(repeating: "x", count: 667)) == nil)
    }

    @Test func `A terminal shows the square with a quiet zone`() throws {
        let lines = try #require(QRCode("a")).terminalText.split(separator: "\n")
        #expect(lines.count == 13)
        #expect(lines.allSatisfy { $0.count == 25 && $0.hasPrefix("██") })
    }
}
