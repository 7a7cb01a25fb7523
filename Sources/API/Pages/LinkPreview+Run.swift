import Foundation
import SensorModel
import ViewerPages

extension LinkPreview {
    /// Fields of a share's snapshot that a preview uses.
    private struct Shown: Decodable {
        struct HeartRate: Decodable {
            let bpm: Int?
        }

        let state: String?
        let heartRate: HeartRate?
        let distanceMeters: Double?
        let elapsedSeconds: Double?
    }

    /// - Parameters:
    ///   - name: The runner's public name.
    ///   - snapshot: Public snapshot of the share, as JSON.
    init(of name: PublicName, showing snapshot: [UInt8]) {
        // There is no snapshot if the share has just ended or cannot be read now.
        let shown = try? JSONDecoder().decode(Shown.self, from: Data(snapshot))
        guard let shown, let state = shown.state, state != "waiting", state != "ended" else {
            self.init(title: name.marked, text: "Not out now. Come back later.")
            return
        }
        let values = [
            shown.heartRate?.bpm.map { "\($0) bpm" },
            shown.distanceMeters.map { String(format: "%.2f km", $0 / 1000) },
            shown.elapsedSeconds.map { Self.text(ofSeconds: Int($0)) },
        ]
        self.init(
            title: "\(name.marked), live",
            text: values.compactMap { $0 }.joined(separator: ", "))
    }

    private static func text(ofSeconds seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? String(format: "%d:%02d:%02d", hours, minutes, seconds % 60)
            : String(format: "%d:%02d", minutes, seconds % 60)
    }
}
