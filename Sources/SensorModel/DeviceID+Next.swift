extension DeviceID {
    /// Returns the number for a new device.
    ///
    /// Numbers never repeat, since the log's sessions name their device by its number alone. A
    /// registry that was lost or restored from a backup does not know all numbers that were given,
    /// but the log has those of its sessions.
    ///
    /// - Parameters:
    ///   - given: The highest number that the registry has given; `nil`: none.
    ///   - highest: The highest number in the log; `nil`: it has no session.
    /// - Returns: A number above both.
    public static func next(given: DeviceID?, inLog highest: DeviceID?) -> DeviceID {
        DeviceID(rawValue: max(given?.rawValue ?? 0, highest?.rawValue ?? 0) + 1)
    }
}
