import Foundation

/// A viewer of a share that records the markers it is shown and its cursor.
struct MarkerViewer {
    /// Numbers of the frames that were markers, in the order they came.
    private(set) var markers: [UInt32] = []
    /// When each was shown last, seconds since 1970.
    private(set) var shownAt: [UInt32: Double] = [:]
    private(set) var cursor = ""
    private(set) var gaps = 0
    /// The close code of each connection.
    private(set) var closeCodes: [Int] = []

    /// Reads until marker `last` has come, or to the end of the connection.
    mutating func watch(_ socket: PlainSocket, until last: UInt32 = .max) async throws {
        while markers.last != last, let message = try await socket.message() {
            switch message {
            case .text(let json): take(json)
            case .close(let code): closeCodes.append(code)
            case .other: break
            }
        }
    }

    private mutating func take(_ json: String) {
        let parsed = try? JSONSerialization.jsonObject(with: Data(json.utf8))
        let object = parsed as? [String: Any] ?? [:]
        if let found = object["cursor"] as? String { cursor = found }
        if object["type"] as? String == "gap" { gaps += 1 }
        guard object["event"] as? String == "marker", let text = object["text"] as? String,
            let number = UInt32(text.dropFirst("note ".count))
        else { return }
        markers.append(number)
        shownAt[number] = Date().timeIntervalSince1970
    }
}
