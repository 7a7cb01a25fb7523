import Foundation
import Replay

/// Reference values of a neutral folder, measured another way: `truth_series.csv`, `t_s` and any of
/// `distance_m` (cumulative), `cadence_spm`, `steps_cum`.
enum TruthSeries {
    static let fileName = "truth_series.csv"

    /// - Parameter folder: Folder of a recording; other paths have no reference values.
    /// - Returns: Its rows in their order; empty without such a file.
    /// - Throws: ``CommandFailure`` for a file without `t_s`.
    static func read(beside folder: String) throws -> [RecordingPlot.Truth] {
        let path = folder + "/" + fileName
        guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let names = lines.first?.split(separator: ",").map(String.init) ?? []
        guard let time = names.firstIndex(of: "t_s") else {
            throw CommandFailure("\(path) has no column t_s: see what a neutral folder holds")
        }
        return lines.dropFirst().compactMap { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            func value(_ index: Int?) -> Double? {
                guard let index, index < cells.count else { return nil }
                return Double(cells[index])
            }
            guard let t = value(time), t.isFinite else { return nil }
            return RecordingPlot.Truth(
                t: t, distanceMeters: value(names.firstIndex(of: "distance_m")),
                cadence: value(names.firstIndex(of: "cadence_spm")),
                steps: value(names.firstIndex(of: "steps_cum")))
        }
    }
}
