import API
import ArgumentParser
import Foundation

/// Shows the cluster of this node, and lets another node lead.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Shows the cluster that this node belongs to.",
        subcommands: [Status.self, StepDown.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Shows what the nodes of the cluster do.",
            discussion: """
                Asked of the node that leads, it lists all nodes that stand by.

                Example:
                  pulsecast cluster status
                """)
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let data = try await admin.ask("GET", "/cluster")
            if admin.json { return Terminal.say(json: Array(data)) }
            let report = try JSONDecoder().decode(ClusterReport.self, from: Data(data))
            Terminal.say(Self.text(of: report))
        }

        static func text(of report: ClusterReport) -> String {
            var lines = [
                "node \(report.node) is \(report.state), at message \(report.sequence)"
            ]
            if report.state == "leading" {
                lines.append("changes on their way: \(report.waitingBytes) bytes")
            } else {
                lines.append(
                    report.leader.isEmpty ? "no node leads" : "node \(report.leader) leads")
            }
            if !report.trouble.isEmpty {
                let seconds = String(format: "%.1f", report.silentSeconds)
                lines.append("for \(seconds) s: \(report.trouble)")
            }
            for node in report.nodes {
                let seconds = String(format: "%.0f", node.reportedSeconds)
                lines.append(
                    "node \(node.node) is \(node.state), messages behind: \(node.behind), "
                        + "said \(seconds) s ago")
            }
            return lines.joined(separator: "\n")
        }
    }

    struct StepDown: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "step-down",
            abstract: "Lets another node lead, before this one is updated.",
            discussion: """
                The node that leads writes everything, lets another node take over at once, and \
                ends with status 75; systemd starts it again, and it stands by.

                Example:
                  pulsecast cluster step-down
                """)
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            _ = try await admin.ask("POST", "/cluster/step-down")
            guard !admin.json else { return }
            Terminal.say("another node takes over; see `pulsecast cluster status`")
        }
    }
}
