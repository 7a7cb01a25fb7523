import SensorModel
import Testing

@testable import Sharing

@Suite struct DoorTests {
    static func address(_ last: UInt8, _ third: UInt8 = 0) -> AddressKey {
        guard let key = AddressKey(bytes: [192, 0, third, last]) else {
            preconditionFailure("four bytes are an address")
        }
        return key
    }

    @Test func `An address counts as itself, an IPv6 one as its sixty-four`() {
        let prefix: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 1, 0, 2]
        let one = AddressKey(bytes: prefix + [0, 0, 0, 0, 0, 0, 0, 1])
        let other = AddressKey(bytes: prefix + [9, 9, 9, 9, 9, 9, 9, 9])
        let beside = AddressKey(bytes: prefix.dropLast() + [3, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(one != nil && one == other && one != beside)
        let mapped = AddressKey(
            bytes: Array(repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 0, 7])
        #expect(mapped == Self.address(7))
        #expect(AddressKey(bytes: [1, 2, 3]) == nil)
        #expect(AddressKey(bytes: [127, 0, 0, 1])?.isLoopback == true)
        #expect(AddressKey(bytes: [128, 0, 0, 1])?.isLoopback == false)
        let six = AddressKey(bytes: Array(repeating: 0, count: 15) + [1])
        #expect(six?.isLoopback == true && one?.isLoopback == false)
        #expect(one?.bytes == prefix && Self.address(7).bytes == [192, 0, 0, 7])
    }

    @Test func `Ten guesses a minute fail, the eleventh is told to wait`() {
        var limiter = FailureLimiter()
        for guess in 0..<10 {
            #expect(limiter.failed(Self.address(1), at: Fixture.time(Double(guess))) == .refuse)
        }
        #expect(
            limiter.failed(Self.address(1), at: Fixture.time(10))
                == .slowDown(retryAfterSeconds: 50))
        #expect(limiter.failed(Self.address(2), at: Fixture.time(10)) == .refuse)
        #expect(
            limiter.failed(Self.address(1), at: Fixture.time(59.5))
                == .slowDown(retryAfterSeconds: 1))
        #expect(limiter.failed(Self.address(1), at: Fixture.time(60)) == .refuse)
        #expect(
            limiter.failed(Self.address(1), at: Fixture.time(60.5))
                == .slowDown(retryAfterSeconds: 1))
        #expect(limiter.retryAfterSeconds(Self.address(1), at: Fixture.time(200)) == nil)
    }

    /// Number of guesses from new /64 networks until one must wait.
    private static func guesses(sharing bits: Int) throws -> Int {
        var limiter = FailureLimiter()
        for guess in 0..<1000 {
            // The guess number follows the shared bits, within the first 64.
            var bytes: [UInt8] = [0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 12)
            bytes[bits / 8] = UInt8(guess & 0xFF)
            bytes[bits / 8 + 1] |= UInt8(guess >> 8)
            let address = try #require(AddressKey(bytes: bytes))
            guard limiter.failed(address, at: Fixture.start) == .refuse else { return guess }
            let neighbor = try #require(AddressKey(bytes: [0x20, 1, 0xD, 0xB9] + bytes[4...]))
            #expect(limiter.retryAfterSeconds(neighbor, at: Fixture.start) == nil)
        }
        return 1000
    }

    @Test(arguments: [(bits: 56, guesses: 40), (bits: 48, guesses: 80), (bits: 40, guesses: 1000)])
    func `Who changes addresses within a network guesses a few times more often, not endlessly`(
        bits: Int, guesses: Int
    ) throws {
        #expect(try Self.guesses(sharing: bits) == guesses)
    }

    @Test func `A neighbor's IPv4 guesses do not count`() {
        var limiter = FailureLimiter()
        for last in UInt8(0)..<250 {
            for _ in 0..<10 {
                #expect(limiter.failed(Self.address(last), at: Fixture.start) == .refuse)
            }
        }
        #expect(limiter.retryAfterSeconds(Self.address(250), at: Fixture.start) == nil)
    }

    @Test func `A reader asks twenty times a second, and no other waits for it`() {
        var limiter = ReaderLimiter()
        let share = ShareKey(rawValue: 1)
        let other = ShareKey(rawValue: 2)
        for number in 0..<20 {
            let now = Fixture.time(Double(number) / 100)
            #expect(limiter.admit(to: share, from: Self.address(1), at: now) == nil)
        }
        let now = Fixture.time(0.5)
        #expect(limiter.admit(to: share, from: Self.address(1), at: now) == 1)
        #expect(limiter.admit(to: share, from: Self.address(2), at: now) == nil)
        #expect(limiter.admit(to: other, from: Self.address(1), at: now) == nil)
        #expect(limiter.admit(to: share, from: Self.address(1), at: Fixture.time(1)) == nil)
    }

    @Test func `In no minute do more than ten guesses pass`() {
        var generator = SeededGenerator(seed: 8)
        var limiter = FailureLimiter()
        var now = 0.0
        var passed: [Double] = []
        for _ in 0..<5000 {
            now += Double.random(in: 0...3, using: &generator)
            if limiter.failed(Self.address(1), at: Fixture.time(now)) == .refuse {
                passed.append(now)
            }
        }
        for index in passed.indices.dropFirst(10) {
            #expect(passed[index] - passed[index - 10] >= 59.999)
        }
        #expect(passed.count > 1000)
    }

    @Test func `A flood of addresses is remembered in bounded memory`() {
        var limiter = FailureLimiter(addressesMax: 100)
        for number in 0..<10_000 {
            let address = Self.address(UInt8(number & 0xFF), UInt8(number >> 8))
            _ = limiter.failed(address, at: Fixture.time(Double(number) / 1000))
            #expect(limiter.count <= 200)
        }
    }

    @Test func `With a limit of thousands fewer addresses are remembered, in the same memory`() {
        var limiter = FailureLimiter(failuresMax: 10_000)
        for number in 0..<10_000 {
            let address = Self.address(UInt8(number & 0xFF), UInt8(number >> 8))
            _ = limiter.failed(address, at: Fixture.time(Double(number) / 1000))
        }
        #expect(limiter.count <= 2 * 16_384 * 30 / 10_000)
    }

    @Test func `A clock set back locks nobody out`() {
        var limiter = FailureLimiter()
        for _ in 0..<10 { _ = limiter.failed(Self.address(1), at: Fixture.time(5000)) }
        #expect(limiter.failed(Self.address(1), at: Fixture.time(0)) == .refuse)
    }

    @Test(
        arguments: [
            ("abc234", "ABC234"), (" AB C-23 4 ", "ABC234"), ("ABC23", nil), ("ABC2345", nil),
            ("ABCDE0", nil), ("ABCDE1", nil), ("ABCDEI", nil), ("ABCDEL", nil), ("ABCDEO", nil),
            ("ÄBCDEF", nil), ("", nil), ("ﬀABCD", nil),
        ] as [(String, String?)])
    func `A code is read in any case, from its alphabet alone`(typed: String, text: String?) {
        #expect(ShortCode(typed)?.text == text)
    }

    @Test func `A code works once, in its time`() throws {
        var generator = SeededGenerator(seed: 9)
        var codes = ShortCodes()
        let key = ShareKey(rawValue: 4)
        let issued = try #require(codes.issue(for: key, at: Fixture.start, using: &generator))
        #expect(issued.expiresAt == Fixture.time(600))
        #expect(ShortCode(issued.code.text.lowercased()) == issued.code)
        #expect(codes.redeem(issued.code, at: Fixture.time(599)) == key)
        #expect(codes.redeem(issued.code, at: Fixture.time(599)) == nil)
        let late = try #require(codes.issue(for: key, at: Fixture.start, using: &generator))
        #expect(codes.redeem(late.code, at: Fixture.time(600)) == nil)
        let withdrawn = try #require(codes.issue(for: key, at: Fixture.start, using: &generator))
        codes.withdraw(key)
        #expect(codes.redeem(withdrawn.code, at: Fixture.time(1)) == nil)
        codes.restore(withdrawn.code, for: key, until: Fixture.time(50))
        #expect(codes.redeem(withdrawn.code, at: Fixture.time(49)) == key)
    }

    @Test func `Codes are out in bounded number, until they expire`() {
        var generator = SeededGenerator(seed: 10)
        var codes = ShortCodes()
        var issued: Set<ShortCode> = []
        for _ in 0..<2000 {
            let promise = codes.issue(
                for: ShareKey(rawValue: 1), at: Fixture.start, lifetimeSeconds: 0,
                using: &generator)
            if let promise { issued.insert(promise.code) }
        }
        #expect(issued.count == ShortCodes.codesMax && codes.count == ShortCodes.codesMax)
        #expect(
            codes.issue(for: ShareKey(rawValue: 1), at: Fixture.time(1), using: &generator) != nil)
        #expect(codes.count == 1)
    }

    @Test func `A few cheers pass, from an address and in all`() {
        var limiter = CheerLimiter(perAddressMax: 2, perShareMax: 3)
        let key = ShareKey(rawValue: 1)
        #expect(limiter.admit(to: key, from: Self.address(1), at: Fixture.time(0)) == nil)
        #expect(limiter.admit(to: key, from: Self.address(1), at: Fixture.time(1)) == nil)
        #expect(limiter.admit(to: key, from: Self.address(1), at: Fixture.time(2)) == 58)
        #expect(limiter.admit(to: key, from: Self.address(2), at: Fixture.time(2)) == nil)
        #expect(limiter.admit(to: key, from: Self.address(3), at: Fixture.time(3)) == 57)
        let other = ShareKey(rawValue: 2)
        #expect(limiter.admit(to: other, from: Self.address(3), at: Fixture.time(3)) == nil)
        #expect(CheerLimiter.clean("  Go\u{202E} Anna!\n") == "Go Anna!")
        #expect(CheerLimiter.clean("\u{200B} \n") == nil)
        #expect(CheerLimiter.clean(String(repeating: "x", count: 200))?.count == 80)
    }
}
