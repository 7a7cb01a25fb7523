import Bytes
import Foundation
public import Logging
import Secrets
import Synchronization

/// Writes log lines to the journal as structured fields, or to stderr as text without a journal.
///
/// Logging never blocks: when the output is not read, lines are dropped and counted
/// (``LineWriter``). Metadata keys become fields (`session` → `PULSECAST_SESSION`). Callers pass
/// names, never tokens, share IDs or addresses. A journal is kept longer than sessions and copied
/// elsewhere, so devices, shares and sessions appear in it as hashes. Only a known name can be
/// matched to its hash.
public struct JournalLogHandler: LogHandler {
    /// Shared by all copies, so that a reload also changes existing loggers.
    public var logLevel: Logger.Level {
        get { Self.level(at: threshold.rank.load(ordering: .relaxed)) }
        set { threshold.rank.store(Self.rank(of: newValue), ordering: .relaxed) }
    }
    public var metadata: Logger.Metadata = [:]

    private let threshold = Threshold()
    private let label: String
    private let journalPath: String?

    private final class Threshold: Sendable {
        let rank = Atomic<Int>(JournalLogHandler.rank(of: .info))
    }

    private static func rank(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }

    private static func level(at rank: Int) -> Logger.Level { Logger.Level.allCases[rank] }

    static let journalSocket = "/run/systemd/journal/socket"

    /// - Parameters:
    ///   - label: The logger's name, as `pulsecast.log`.
    ///   - usesJournal: Whether stderr is connected to the journal (`JOURNAL_STREAM` is set).
    public init(label: String, usesJournal: Bool) {
        self.label = label
        journalPath = usesJournal ? Self.journalSocket : nil
    }

    /// The daemon's logger, which writes to stderr or the journal.
    ///
    /// - Parameter level: A name of ``Logging/Logger/Level``; anything else means info.
    /// - Returns: A logger named pulsecast.
    public static func logger(level: String) -> Logger {
        let usesJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil
        var logger = Logger(label: "pulsecast") { label in
            JournalLogHandler(label: label, usesJournal: usesJournal)
        }
        logger.logLevel = Logger.Level(rawValue: level) ?? .info
        return logger
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, newer in newer }
        if let journalPath {
            let entry = Self.journalEntry(
                level: event.level, message: "\(event.message)", label: label, fields: fields)
            if UnixDatagram.send(entry, to: journalPath) { return }
        }
        LineWriter.standardError.append(
            Array(Self.line(level: event.level, message: "\(event.message)", fields: fields).utf8))
    }

    /// Waits, at most a second, until all earlier lines are written; called before the process
    /// ends.
    public static func flush() {
        LineWriter.standardError.flush(within: .seconds(1))
    }

    /// One line for a person; control characters are escaped.
    package static func line(level: Logger.Level, message: String, fields: Logger.Metadata)
        -> String
    {
        let details = fields.sorted { $0.key < $1.key }
            .filter { $0.key != JournalEvent.key }
            .map { " \($0.key)=\($0.value)" }.joined()
        return "\(level.rawValue): \(oneLine(message + details))\n"
    }

    /// An entry in the journal's native protocol: `KEY=value` lines; values with line ends have a
    /// length.
    static func journalEntry(
        level: Logger.Level, message: String, label: String, fields: Logger.Metadata
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ key: String, _ value: String) {
            bytes.append(contentsOf: "\(key)=\(oneLine(value))\n".utf8)
        }
        append("MESSAGE", message)
        append("PRIORITY", String(priority(of: level)))
        append("SYSLOG_IDENTIFIER", "pulsecast")
        append("PULSECAST_LOGGER", label)
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            let name = key == JournalEvent.key ? "MESSAGE_ID" : "PULSECAST_\(key.uppercased())"
            append(name, hashedKeys.contains(key) ? hash(of: "\(value)") : "\(value)")
        }
        return bytes
    }

    /// Hashed values: the ID of a session, the name of a device or share.
    private static let hashedKeys: Set<String> = ["session", "device", "share"]

    /// The first 16 hexadecimal digits of SHA-256, as printed by `printf %s NAME | sha256sum`.
    private static func hash(of name: String) -> String {
        Hexadecimal.text(of: MessageCode.identifier(of: name).high)
    }

    private static func oneLine(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar -> Character in
                scalar.properties.generalCategory == .control ? " " : Character(scalar)
            })
    }

    /// syslog(3) priorities.
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
