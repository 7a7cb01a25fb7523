import Bytes
import Client
import Foundation
import Recordings
import Runtime
import SegmentLog
import SensorModel
import Sessions

/// What became of one try of a delivery.
enum DeliveryOutcome: Hashable, Sendable {
    case delivered
    /// It may succeed later, for this reason.
    case retry(String)
    /// Another try would fail, too.
    case failed(String)
    /// The session or the target is gone, or not as it was.
    case gone

    /// Tries of a delivery, over some five days.
    static let triesMax = 10
    /// Seconds before the next tries; a day before later ones.
    private static let waits = [60.0, 300, 1800, 7200, 21_600]
    private static let longestWait = 86_400.0
    private static let reasonCharactersMax = 200
    /// Characters of a server's own words.
    private static let messageCharactersMax = 120

    /// - Parameters:
    ///   - status: Status of a server's answer.
    ///   - body: Body of the answer; the `message` of a JSON object is said to the owner.
    init(status: Int, body: [UInt8]) {
        let said = Self.message(in: body).map { ": \($0)" } ?? ""
        switch status {
        case 200..<300: self = .delivered
        case 300..<400:
            self = .failed(
                "its server answered \(status)\(said): give the address to which it redirects")
        case 401, 403:
            self = .failed("its server refused the secret (\(status))\(said): set it again")
        case 413: self = .failed("the file is too large for its server (413)\(said)")
        case 408, 425, 429, 500...: self = .retry("its server answered \(status)\(said)")
        default: self = .failed("its server refused the file (\(status))\(said)")
        }
    }

    /// - Parameter error: Why a file was not read, or not sent.
    init(_ error: any Error) {
        switch error {
        case ReadRefusal.tooLong: self = .failed("the session is too long for one file")
        case is ReadRefusal: self = .retry("too much was read at once")
        case SessionReadError.unknownSession: self = .gone
        case ClientError.notTrusted(let reason, _):
            self = .retry("its server's certificate is not trusted: \(reason)")
        case ClientError.notAnAnswer: self = .retry("what answers there is no HTTP server")
        default: self = .retry(CleanText.clean("\(error)", charactersMax: Self.reasonCharactersMax))
        }
    }

    private static func message(in body: [UInt8]) -> String? {
        struct Answer: Decodable {
            let message: String?
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(body))
        return answer?.message.map {
            CleanText.clean($0, charactersMax: messageCharactersMax)
        }
    }

    /// - Parameters:
    ///   - tries: Tries so far, at least 1.
    ///   - generator: Source of jitter, which spreads the tries of many daemons.
    /// - Returns: Seconds before the next try; `nil`: there is none.
    static func secondsBeforeRetry(
        tries: Int, using generator: inout some RandomNumberGenerator
    ) -> Double? {
        precondition(tries >= 1, "nothing was tried")
        guard tries < triesMax else { return nil }
        let wait = tries <= waits.count ? waits[tries - 1] : longestWait
        return wait * Double.random(in: 0.8...1.2, using: &generator)
    }
}
