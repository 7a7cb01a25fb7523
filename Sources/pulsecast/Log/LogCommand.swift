import ArgumentParser
import Foundation
import Runtime
import SegmentLog
import SensorModel

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Reads the log of a state folder, without the daemon or beside it.",
        subcommands: [Verify.self, List.self, Cat.self, Stat.self])

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Checks every checksum and every chain; exits 3 if the log is damaged.",
            discussion: """
                Example:
                  pulsecast log verify --state /var/lib/pulsecast
                """)
        @OptionGroup var place: LogPlace

        func run() throws {
            var bar = ProgressBar("verifying")
            let found = try place.reader().verify { done, total in
                bar.update(done: done, of: total)
            }
            bar.finish()
            if place.json {
                try Terminal.say(encoded: VerificationReport(found))
            } else {
                Self.tell(found)
            }
            if !found.damaged.isEmpty {
                throw CommandFailure(
                    "the log is damaged: what is named above is lost, the rest stays readable",
                    status: ExitStatus.damagedLog)
            }
        }

        private static func tell(_ found: LogVerification) {
            Terminal.say(
                "\(found.segments) segment(s), \(found.records) records, \(found.frames) frames,"
                    + " \(found.bytes) bytes")
            for damage in found.damaged {
                Terminal.say(
                    "damaged: \(damage.segment), byte \(damage.byte): \(damage.reason.rawValue)")
            }
            if let tail = found.tornTail {
                Terminal.say(
                    "torn tail: \(tail.segment), byte \(tail.byte), \(tail.bytes) byte(s); a crash"
                        + " left it, nothing in it was acknowledged, the next start cuts it")
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the segments.",
            discussion: """
                Example:
                  pulsecast log list --json
                """)
        @OptionGroup var place: LogPlace

        func run() throws {
            let segments = try place.reader().segments()
            if place.json { return try Terminal.say(encoded: segments.map(SegmentRow.init)) }
            var table = TextTable(header: ["segment", "sealed", "bytes", "records", "sessions"])
            for segment in segments {
                table.add([
                    segment.name, segment.isSealed ? "yes" : "no", "\(segment.bytes)",
                    "\(segment.records)", "\(segment.sessions)",
                ])
            }
            Terminal.say(table.isEmpty ? "no segments" : table.text)
        }
    }

    struct Stat: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stat",
            abstract: "Sums up the log: segments, sessions, time span.",
            discussion: """
                Example:
                  pulsecast log stat
                """)
        @OptionGroup var place: LogPlace

        func run() throws {
            let reader = try place.reader()
            let stat = LogStat(segments: reader.segments(), sessions: reader.sessions())
            if place.json { return try Terminal.say(encoded: stat) }
            Terminal.say(
                "\(stat.segments) segment(s), \(stat.bytes) bytes, \(stat.records) records,"
                    + " \(stat.sessions) session(s), \(stat.frames) frames")
        }
    }

    struct Cat: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cat",
            abstract: "Prints records as JSON, an object a line.",
            discussion: """
                Example:
                  pulsecast log cat --limit 10
                """)
        @OptionGroup var place: LogPlace
        @Option(
            help: .value(
                "id", "Only records of this session: its ID, the first digits of it, or latest."),
            completion: .sessions)
        var session: String?
        @Option(help: .value("offset", "The first offset.")) var from: UInt64 = 0
        @Option(help: .value("count", "Records at most.")) var limit = Int.max

        func run() async throws {
            let named = try session.map { try place.session(named: $0) }
            var left = limit
            let reader = try named?.reader ?? place.reader()
            var places = SegmentPlaces(reader.segments())
            try reader.read(
                from: RecordOffset(rawValue: from), session: named?.id,
                gap: { gap in
                    Terminal.say(
                        #"{"type":"gap","from":\#(gap.from.rawValue),"to":\#(gap.to.rawValue)}"#)
                },
                record: { header, payload in
                    guard left > 0 else { return false }
                    left -= 1
                    Terminal.say(
                        RecordText.line(
                            header, payload, segment: places.name(of: header.offset)))
                    return true
                })
        }
    }
}
