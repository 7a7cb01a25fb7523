import Bytes

/// Setup of an application on a phone: the address to send to, and the secret.
public struct PhoneSetup: Hashable, Sendable {
    /// Link to open on the phone, or the text to type into an application without links. It
    /// contains the device's secret, which lets its holder send as the device.
    public var link: String
    /// Whether the link configures the application by itself.
    public var isDeepLink: Bool
    /// Steps in the application, one sentence each.
    public var steps: [String]

    /// - Parameters:
    ///   - application: The application.
    ///   - baseURL: Address of the daemon as seen from the phone, without a slash at the end.
    ///   - device: Name of the device.
    ///   - token: Secret of the device.
    public init(_ application: PhoneApplication, baseURL: String, device: String, token: String) {
        switch application {
        case .browser: self.init(browserAt: baseURL, token: token)
        case .push(let format):
            self.init(format, baseURL: baseURL, device: device, token: token)
        }
    }

    /// Sets up the record page. The token is in the fragment, which a browser sends to no server.
    private init(browserAt baseURL: String, token: String) {
        link = "\(baseURL)/record#\(token.percentEncoded)"
        isDeepLink = true
        steps = [
            "Open the link in the browser that is to record: on the phone, or beside the strap.",
            "Allow what it may measure, one after the other, and press Start.",
        ]
    }

    private init(_ format: PushFormat, baseURL: String, device: String, token: String) {
        let address = "\(baseURL)/in/\(format.rawValue)"
        link = "\(address)/\(token.percentEncoded)"
        isDeepLink = false
        switch format {
        case .overland:
            link =
                "overland://setup?url=\(address.percentEncoded)"
                + "&token=\(token.percentEncoded)&device_id=\(device.percentEncoded)"
            isDeepLink = true
            steps = ["Open the link on the phone that has Overland.", "Switch tracking on."]
        case .owntracks:
            link =
                "owntracks:///config?inline="
                + Self.ownTracks(address: address, device: device, token: token).percentEncoded
            isDeepLink = true
            steps = ["Open the link on the phone that has OwnTracks.", "Choose move mode."]
        case .sensorlogger:
            steps = [
                "In Sensor Logger tap the gear on the Logger page and switch HTTP Push on.",
                "Type the address as the push URL. A batch period of 1000 ms is right.",
                "Choose accelerometer, gyroscope, location and heart rate, and start.",
            ]
        case .osmand:
            steps = [
                "In Traccar Client type the address as the server URL, and start the service.",
                "In OsmAnd switch the plugin Trip recording on, and in its settings online"
                    + " tracking, with \(link)\(Self.osmAndQuery) as its web address.",
            ]
        case .gpslogger:
            link += "?lat=%LAT&lon=%LON&alt=%ALT&acc=%ACC&spd=%SPD&dir=%DIR"
            link += "&timestamp=%TIMESTAMP&starttimestamp=%STARTTIMESTAMP&batt=%BATT&desc=%DESC"
            steps = ["In GPSLogger switch Log to custom URL on and type the address as the URL."]
        case .hr:
            link += "?bpm="
            steps = ["Request the address with the heart rate behind it, by GET or POST."]
        case .hrpush:
            steps = ["In hr_push add the address as an HTTP target; a WebSocket's begins with ws."]
        case .runnerup:
            steps = ["In RunnerUp type the address as the server of RunnerUp Live."]
        case .hds:
            steps = [
                "In HDS on the watch type the address as the server's, with ws in place of http.",
                "Where the watch sends by HTTP, type the address as it is.",
            ]
        }
    }

    /// OsmAnd replaces each number. Its speed, `{5}`, is left out: it is in m/s, and the format
    /// has knots.
    private static let osmAndQuery =
        "?lat={0}&lon={1}&timestamp={2}&accuracy={3}&altitude={4}&bearing={6}"

    /// Returns OwnTracks' configuration file in Base64. Mode 3 is HTTP; monitoring 2 is moving.
    private static func ownTracks(address: String, device: String, token: String) -> String {
        var json = JSONWriter()
        json.object { object in
            object.string("_type", "configuration")
            object.integer("mode", 3)
            object.string("url", address)
            object.bool("auth", true)
            object.string("username", device)
            object.string("password", token)
            object.string("deviceId", device)
            object.integer("monitoring", 2)
            object.bool("cmd", true)
            object.bool("remoteConfiguration", true)
            object.bool("extendedData", true)
        }
        return base64(json.bytes)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - part.count))
            for place in 0..<4 {
                let digit = bits >> UInt32(18 - 6 * place) & 0x3F
                text.append(place <= part.count ? alphabet[Int(digit)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// The text encoded for a place in a URL: every byte but letters, digits, `-`, `.`, `_` and `~`
    /// becomes `%` and two digits.
    var percentEncoded: String {
        var text: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
