import Testing

@testable import Daemon

/// The doctor's verdict for a measured value.
@Suite struct DoctorThresholdsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let finding: Finding
        let verdict: Finding.Verdict
    }

    private static let day = 86_400
    private static let now = 1_763_700_000

    static let cases = [
        Case(
            testDescription: "2 GiB are enough",
            finding: DoctorThresholds.diskSpace(freeBytes: 2 << 30), verdict: .fine),
        Case(
            testDescription: "less than 2 GiB will not last",
            finding: DoctorThresholds.diskSpace(freeBytes: 2 << 30 - 1), verdict: .warning),
        Case(
            testDescription: "less than 256 MiB is nearly full",
            finding: DoctorThresholds.diskSpace(freeBytes: 256 << 20 - 1), verdict: .problem),
        Case(
            testDescription: "50 ms a sync will do",
            finding: DoctorThresholds.diskSpeed(milliseconds: 50), verdict: .fine),
        Case(
            testDescription: "more is slow",
            finding: DoctorThresholds.diskSpeed(milliseconds: 50.1), verdict: .warning),
        Case(
            testDescription: "a certificate of three weeks",
            finding: DoctorThresholds.certificate(expiry: now + 21 * day, now: now), verdict: .fine),
        Case(
            testDescription: "a certificate that should have been renewed",
            finding: DoctorThresholds.certificate(expiry: now + 21 * day - 1, now: now),
            verdict: .warning),
        Case(
            testDescription: "a certificate that has ended",
            finding: DoctorThresholds.certificate(expiry: now, now: now), verdict: .problem),
        Case(
            testDescription: "a common RSA key",
            finding: DoctorThresholds.key(rsaBits: 2048) ?? .problem("", "", do: ""),
            verdict: .fine),
        Case(
            testDescription: "a long RSA key",
            finding: DoctorThresholds.key(rsaBits: 2049) ?? .problem("", "", do: ""),
            verdict: .warning),
        Case(
            testDescription: "files for every connection",
            finding: DoctorThresholds.fileLimit(descriptors: 1256, connections: 1000),
            verdict: .fine),
        Case(
            testDescription: "fewer files than connections",
            finding: DoctorThresholds.fileLimit(descriptors: 1255, connections: 1000),
            verdict: .warning),
        Case(
            testDescription: "a clock without a battery",
            finding: DoctorThresholds.clock(year: 1970, isSynchronized: true), verdict: .problem),
        Case(
            testDescription: "a clock that runs free",
            finding: DoctorThresholds.clock(year: 2026, isSynchronized: false), verdict: .warning),
        Case(
            testDescription: "a clock nobody speaks of",
            finding: DoctorThresholds.clock(year: 2026, isSynchronized: nil), verdict: .fine),
        Case(
            testDescription: "a private file",
            finding: DoctorThresholds.privacy(of: "/x", mode: 0o600), verdict: .fine),
        Case(
            testDescription: "a file that the group can read",
            finding: DoctorThresholds.privacy(of: "/x", mode: 0o640), verdict: .problem),
        Case(
            testDescription: "a file that is not there yet",
            finding: DoctorThresholds.privacy(of: "/x", mode: nil), verdict: .fine),
        Case(
            testDescription: "a free port",
            finding: DoctorThresholds.port("http", at: "x:1", isFree: true, isRunning: false),
            verdict: .fine),
        Case(
            testDescription: "our own port",
            finding: DoctorThresholds.port("http", at: "x:1", isFree: false, isRunning: true),
            verdict: .fine),
        Case(
            testDescription: "somebody else's port",
            finding: DoctorThresholds.port("http", at: "x:1", isFree: false, isRunning: false),
            verdict: .problem),
    ]

    @Test(arguments: cases)
    func `A value is judged, and what is not fine comes with advice`(example: Case) {
        #expect(example.finding.verdict == example.verdict, "\(example.finding.found)")
        #expect(example.finding.advice.isEmpty == (example.verdict == .fine))
    }
}
