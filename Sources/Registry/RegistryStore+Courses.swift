import Foundation
import GRDB
public import SensorModel

/// The route that a device's runner follows, as it was uploaded.
public struct StoredCourse: Hashable, Sendable {
    public var name: String
    public var gpx: [UInt8]
    public var changedAt: Timestamp

    public init(name: String, gpx: [UInt8], changedAt: Timestamp) {
        self.name = name
        self.gpx = gpx
        self.changedAt = changedAt
    }
}

extension RegistryStore {
    /// - Parameters:
    ///   - course: The new course; `nil` removes it.
    ///   - id: The device.
    /// - Throws: ``RegistryError/unknownDevice(_:)``
    public func setCourse(_ course: StoredCourse?, of id: DeviceID) throws(RegistryError) {
        try write { database in
            guard let course else {
                try database.execute(
                    sql: "DELETE FROM course WHERE device = ?", arguments: [id.rawValue])
                return
            }
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO course (device, name, gpx, changedAt)
                        SELECT id, ?, ?, ? FROM device WHERE id = ?
                    """,
                arguments: [
                    course.name, Data(course.gpx), course.changedAt.column, id.rawValue,
                ])
            try Self.checkChanged(id, in: database)
        }
    }

    /// - Returns: `nil` if the device has none.
    public func course(of id: DeviceID) throws(RegistryError) -> StoredCourse? {
        try read { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT * FROM course WHERE device = ?", arguments: [id.rawValue])
            return row.map(Self.course)
        }
    }

    private static func course(_ row: Row) -> StoredCourse {
        StoredCourse(name: row["name"], gpx: row.bytes("gpx"), changedAt: row.moment("changedAt"))
    }

    static func allCourses(in database: Database) throws -> [DeviceID: StoredCourse] {
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM course")
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in (row.device("device"), course(row)) })
    }
}
