import SensorModel

/// Pulsoid's reader interface: REST and WebSocket carry the same object.
public enum Pulsoid {
    /// The object `{"measured_at":1625310655000,"data":{"heart_rate":40}}`.
    public static func object(_ reading: HeartRateReading) -> [UInt8] {
        var json = ViewerJSON(reserving: 64)
        json.raw("{\"measured_at\":")
        json.integer(reading.measuredAt.milliseconds)
        json.raw(",\"data\":{\"heart_rate\":")
        json.integer(Int64(reading.beatsPerMinute))
        json.raw("}}")
        return json.bytes
    }

    /// The text of `response_mode=text_plain_only_heart_rate`.
    public static func plainText(_ reading: HeartRateReading) -> [UInt8] {
        Array(String(reading.beatsPerMinute).utf8)
    }

    /// The answer to `token/validate`.
    ///
    /// - Parameters:
    ///   - profile: Name of the runner for the reader: the share's label or name.
    ///   - expiresInSeconds: Seconds until the share expires; a year if it does not, as in the
    ///     original.
    /// - Returns: The JSON object.
    public static func validation(profile: String, expiresInSeconds: Int?) -> [UInt8] {
        var json = ViewerJSON(reserving: 128)
        JSONObject.write(to: &json) { object, json in
            object.text("client_id", "pulsecast", &json)
            object.integer("expires_in", max(0, expiresInSeconds ?? 31_536_000), &json)
            object.text("profile_id", profile, &json)
            object.key("scopes", &json)
            json.raw("[\"data:heart_rate:read\"]")
        }
        return json.bytes
    }

    /// Refusals of the original interface.
    public enum Refusal: CaseIterable, Sendable {
        /// An unknown, revoked or expired token.
        case tokenNotFound
        case headerMissing
        case headerFormat
        case noDataYet

        public var status: Int {
            switch self {
            case .tokenNotFound, .headerMissing, .headerFormat: 403
            case .noDataYet: 412
            }
        }

        /// The body; empty for ``noDataYet``.
        public var body: [UInt8] {
            switch self {
            case .tokenNotFound: Self.error("7005", "token_not_found")
            case .headerMissing: Self.error("7009", "authorization_header_missing")
            case .headerFormat: Self.error("7010", "authorization_header_format")
            case .noDataYet: []
            }
        }

        private static func error(_ code: String, _ message: String) -> [UInt8] {
            Array("{\"error_code\":\"\(code)\",\"error_message\":\"\(message)\"}".utf8)
        }
    }
}
