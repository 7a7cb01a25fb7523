import Bytes
package import Recordings
package import SensorModel

extension Course {
    package init(_ read: GPXCourse) {
        self.init(
            points: read.points.map { Point(latitude: $0.latitude, longitude: $0.longitude) },
            altitudes: read.points.compactMap(\.altitude),
            checkpoints: read.checkpoints.map {
                Checkpoint(
                    name: Self.checkpointName($0.name ?? ""), latitude: $0.latitude,
                    longitude: $0.longitude)
            })
    }

    /// At most 64 characters and ``nameBytesMax``: a character may carry any number of combining
    /// marks, and all names together must fit into a record.
    private static func checkpointName(_ text: String) -> String {
        var name = CleanText.clean(text, charactersMax: 64)
        while name.utf8.count > nameBytesMax { name.unicodeScalars.removeLast() }
        return name
    }
}
