import Foundation
import Replay
import Simulator

/// Reference values of a neutral folder, from another measurement: `truth_series.csv` with `t_s`
/// and any of `distance_m` (cumulative), `cadence_spm`, `steps_cum`.
enum TruthSeries {
    static let fileName = "truth_series.csv"

    private static let header = """
        t_s,distance_m,cadence_spm,steps_cum,speed_mps,heart_rate_bpm,lat,lon,alt_m,climb_m,\
        standing
        """

    /// Writes a simulated run's true values, a row a second; `analyze` reads them beside a folder.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    static func write(_ truth: [RunnerTruth], to path: String) throws {
        let rows = truth.map { row in
            let numbers = [
                row.seconds, row.distanceMeters, row.cadence, Double(row.steps),
                row.speedMetersPerSecond, row.heartRate, row.latitude, row.longitude,
                row.altitudeMeters, row.climbMeters,
            ]
            return numbers.map { "\($0)" }.joined(separator: ",") + (row.isStanding ? ",1" : ",0")
        }
        let text = ([header] + rows).joined(separator: "\n") + "\n"
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

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
