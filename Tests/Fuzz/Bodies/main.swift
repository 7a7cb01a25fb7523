import BodyChecks
import FuzzDriver

/// Untrusted input that the API parses.
struct BodyTarget: Fuzzable {
    static let allCases = BodyCheck.allCases.map(BodyTarget.init)

    let check: BodyCheck

    init(_ check: BodyCheck) {
        self.check = check
    }

    init?(rawValue: String) {
        guard let check = BodyCheck(rawValue: rawValue) else { return nil }
        self.check = check
    }

    var rawValue: String { check.rawValue }
    var seeds: [[UInt8]] { check.seeds }

    func run(_ bytes: [UInt8]) {
        guard let breach = check.breach(by: bytes) else { return }
        preconditionFailure(breach)
    }
}

try FuzzDriver.run(BodyTarget.self)
