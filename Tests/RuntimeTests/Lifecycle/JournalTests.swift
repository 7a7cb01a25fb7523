import Foundation
import Logging
import Synchronization
import Testing

@testable import Runtime

/// The content and wording of journal entries.
@Suite struct JournalTests {
    @Test func `An entry has its words, its importance, its event and its fields`() {
        let entry = JournalLogHandler.journalEntry(
            level: .warning, message: "the log\nis slow", label: "pulsecast",
            fields: [
                JournalEvent.key: "\(JournalEvent.logFailed.rawValue)", "door": "4a\u{1b}[2J",
                "device": "ann",
            ])
        #expect(
            String(decoding: entry, as: UTF8.self) == """
                MESSAGE=the log is slow
                PRIORITY=4
                SYSLOG_IDENTIFIER=pulsecast
                PULSECAST_LOGGER=pulsecast
                PULSECAST_DEVICE=49915e0d7d4b402e
                PULSECAST_DOOR=4a [2J
                MESSAGE_ID=\(JournalEvent.logFailed.rawValue)

                """)
    }

    @Test func `A line for a person leaves the event's number out`() {
        let line = JournalLogHandler.line(
            level: .notice, message: "stopped",
            fields: [JournalEvent.key: "\(JournalEvent.stopped.rawValue)", "door": "http"])
        #expect(line == "notice: stopped door=http\n")
    }

    @Test(arguments: JournalEvent.allCases)
    func `Every event has a number of its own, and the runbook has it`(event: JournalEvent) throws {
        #expect(event.rawValue.count == 32)
        #expect(event.rawValue.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(JournalEvent.allCases.filter { $0.rawValue == event.rawValue } == [event])
        let runbook = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Documentation/Operations.md")
        #expect(try String(contentsOf: runbook, encoding: .utf8).contains(event.rawValue))
    }

    /// Checks the arguments that a handler receives.
    @Test func `An event reaches a handler with its number`() {
        let seen = SeenLines()
        let logger = Logger(label: "pulsecast") { _ in seen }
        logger.log(.erased, .notice, "sessions erased", ["bytes": "7"])
        #expect(
            seen.lines.lines == [
                ["bytes": "7", JournalEvent.key: "\(JournalEvent.erased.rawValue)"]
            ])
    }
}

/// Keeps the fields of log lines.
private struct SeenLines: LogHandler {
    final class Lines: Sendable {
        private let kept = Mutex<[[String: String]]>([])

        var lines: [[String: String]] { kept.withLock { $0 } }

        func append(_ fields: [String: String]) { kept.withLock { $0.append(fields) } }
    }

    let lines = Lines()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append((event.metadata ?? [:]).mapValues { "\($0)" })
    }
}
