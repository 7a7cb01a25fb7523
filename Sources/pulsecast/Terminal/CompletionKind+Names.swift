import ArgumentParser
import Foundation
import PushFormats
import Recordings
import SensorModel

/// Values that completion scripts offer. Names come from the running daemon; without one, none is
/// offered.
extension CompletionKind {
    static let devices = names("/devices", key: "device")
    static let shares = names("/shares", key: "name")
    static let sessions = names("/sessions?limit=50", key: "id", beside: ["latest"])
    static let scopes = CompletionKind.list(Scope.all.partNames)
    static let placements = CompletionKind.list(RunnerProfile.Placement.allCases.map(\.rawValue))
    static let exportFormats = CompletionKind.list(ExportFormat.allCases.map(\.rawValue))
    static let apps = CompletionKind.list(PhoneApplication.allCases.map(\.name))
    static let speeds = CompletionKind.list(["1", "10", "60", "max"])
    static let recordings = CompletionKind.file(
        extensions: ["fit", "gpx", "tcx", "csv", "ndjson"])

    /// - Parameters:
    ///   - path: List in the daemon's API.
    ///   - key: Member of its rows.
    ///   - others: Values that are offered as well.
    /// - Returns: The kind.
    private static func names(
        _ path: String, key: String, beside others: [String] = []
    ) -> CompletionKind {
        .custom { words, _, _ in
            guard let admin = try? AdminOptions.parse(place(in: words)),
                let data = try? await admin.ask("GET", path),
                let rows = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
            else { return others }
            return others + rows.compactMap { $0[key] as? String }
        }
    }

    /// The options in a command line that say where the daemon is, with their values.
    private static func place(in words: [String]) -> [String] {
        words.indices.dropLast()
            .filter { ["--admin-socket", "--state"].contains(words[$0]) }
            .flatMap { [words[$0], words[$0 + 1]] }
    }
}
