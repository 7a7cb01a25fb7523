/// Names of the profile, for messages to a person.
extension FITProfile {
    static let manufacturers: [Int: String] = [
        1: "garmin", 23: "suunto", 32: "wahoo", 95: "stryd", 123: "polar", 255: "development",
        260: "zwift", 265: "strava", 294: "coros",
    ]

    private static let messages: [UInt16: String] = [
        0: "file_id", 2: "device_settings", 3: "user_profile", 7: "zones_target", 12: "sport",
        18: "session", 19: "lap", 20: "record", 21: "event", 23: "device_info", 34: "activity",
        49: "file_creator", 78: "hrv", 206: "field_description", 207: "developer_data_id",
    ]

    private static let fields: [UInt16: [UInt8: String]] = [
        fileID: [
            0: "type", 1: "manufacturer", 2: "product", 3: "serial_number", 4: "time_created",
            5: "number", 8: "product_name",
        ],
        session: [
            7: "total_elapsed_time", 8: "total_timer_time", 9: "total_distance",
            16: "avg_heart_rate", 17: "max_heart_rate", 22: "total_ascent",
        ],
        activity: [0: "total_timer_time"],
        record: [
            0: "position_lat", 1: "position_long", 2: "altitude", 3: "heart_rate", 4: "cadence",
            5: "distance", 6: "speed", 7: "power", 13: "temperature", 73: "enhanced_speed",
            78: "enhanced_altitude",
        ],
    ]

    /// Totals that our own replace in an export.
    static let replacedFields: [UInt16: Set<UInt8>] = [
        session: [7, 8, 9, 16, 17, 22], activity: [0],
    ]

    /// For example "record.temperature", or "message 233.field 4" if the name is not known here.
    static func name(ofField number: UInt8, developer: Bool, in message: UInt16) -> String {
        let first = messages[message] ?? "message \(message)"
        if developer { return "\(first).developer field \(number)" }
        return "\(first).\(fields[message]?[number] ?? "field \(number)")"
    }

    static func countReplaced(in message: FITMessage, _ counts: inout FieldCounts) {
        for number in replacedFields[message.number] ?? [] where message.number(number) != nil {
            counts.add(name(ofField: number, developer: false, in: message.number))
        }
    }
}
