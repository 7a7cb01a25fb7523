import Foundation
import Testing

/// A session's frames as `log cat` prints them, to be compared with a ledger.
struct RecordedSession {
    let frames: [(number: UInt32, payload: String)]
    /// Whether the log has no record of the session.
    let isGone: Bool

    init(_ session: String, in folder: TemporaryFolder) async throws {
        let listing = try await DaemonProcess.command(
            ["log", "cat", "--session", session], in: folder)
        try #require(listing.end == .exited(0), "\(listing.complaint)")
        isGone = !listing.output.contains(#""session":"\#(session)""#)
        frames = listing.output.split(separator: "\n").compactMap { line in
            guard line.contains(#""type":"frame""#),
                let seq = line.firstMatch(of: /"seq":(\d+)/).flatMap({ UInt32($0.1) }),
                let payload = line.firstMatch(of: /"payload":"([0-9a-f]*)"/)?.1
            else { return nil }
            return (seq, String(payload))
        }
    }

    /// Checks the record against the ledger: every acknowledged frame once, as sent, in order of
    /// its number.
    func expectEverything(of device: LedgerDevice) {
        #expect(device.ledger.breaches == [])
        let numbers = frames.map(\.number)
        let isWhole = numbers == Array(1...UInt32(max(1, numbers.count)))
        #expect(isWhole, "the numbers have holes, repetitions or another order")
        let last = numbers.last ?? 0
        #expect(last >= device.ledger.acknowledged)
        #expect(last <= device.ledger.sent)
        let changed = frames.filter { frame in
            !NumberedFrame(number: frame.number)
                .isRecorded(as: frame.payload, sentAs: device.form)
        }
        #expect(changed.prefix(3).map { "\($0.number): \($0.payload)" } == [])
    }
}
