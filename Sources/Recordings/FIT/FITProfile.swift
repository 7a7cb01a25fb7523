import SensorModel

/// Numbers of FIT's public profile that reader and writer share.
enum FITProfile {
    // Message numbers.
    static let fileID: UInt16 = 0
    static let sport: UInt16 = 12
    static let session: UInt16 = 18
    static let lap: UInt16 = 19
    static let record: UInt16 = 20
    static let event: UInt16 = 21
    static let activity: UInt16 = 34
    static let hrv: UInt16 = 78
    static let fieldDescription: UInt16 = 206
    static let developerDataID: UInt16 = 207

    /// Present in every message with a time.
    static let timestamp: UInt8 = 253

    /// Start of FIT's clock: 1989-12-31T00:00:00Z.
    static let epochSeconds: Int64 = 631_065_600
    /// Lower times count from the device's start, not from the epoch.
    static let timeMin = 0x1000_0000
    /// A full circle is 2^32 semicircle units.
    static let degreesPerSemicircle = 180.0 / 2_147_483_648

    static let sports: [Int: String] = [
        0: "generic", 1: "running", 2: "cycling", 3: "transition", 4: "fitness equipment",
        5: "swimming", 10: "training", 11: "walking", 12: "cross-country skiing", 17: "hiking",
        18: "multisport", 21: "e-biking", 30: "inline skating",
    ]

    /// Messages that summarize a finished period, even if they have no time.
    static let summaries: Set<UInt16> = [session, lap, activity]

    static func time(_ seconds: Int) -> Timestamp? {
        guard seconds >= timeMin else { return nil }
        return Timestamp(microseconds: (Int64(seconds) + epochSeconds) * 1_000_000)
    }

    static func seconds(_ time: Timestamp) -> UInt32 {
        UInt32(clamping: time.wholeSecond.microseconds / 1_000_000 - epochSeconds)
    }
}
