import Bytes
import Foundation
import SensorModel
package import Transport

/// JSON objects of API requests, responses and webhooks; not on the path of any frame.
package enum JSONBody {
    static func response(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
        guard let bytes = bytes(value) else {
            return .failure(status: 500, reason: "the answer cannot be written")
        }
        return .json(bytes + [UInt8(ascii: "\n")], status: status)
    }

    /// JSON text of a value; `null` for values that JSON cannot hold.
    static func text(_ value: some Encodable) -> String {
        bytes(value).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    package static func bytes(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map(Array.init)
    }

    /// Decodes the request's body; an empty body is an empty object.
    ///
    /// - Throws: ``APIRefusal/badBody(reason:)``
    static func decode<Value: Decodable>(
        _ type: Value.Type, of request: HTTPRequest
    ) throws(APIRefusal) -> Value {
        try decode(type, from: request.body.isEmpty ? Array("{}".utf8) : request.body)
    }

    /// - Throws: ``APIRefusal/badBody(reason:)``, also for a field that a ``StrictBody`` lacks.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(APIRefusal) -> Value {
        do {
            if let strict = type as? any StrictBody.Type {
                try refuseUnknown(in: bytes, but: strict.fields)
            }
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let refusal as APIRefusal {
            throw refusal
        } catch let error as DecodingError {
            throw .badBody(reason: reason(of: error))
        } catch {
            throw .badBody(reason: "not JSON")
        }
    }

    private static func refuseUnknown(in bytes: [UInt8], but fields: [String]) throws {
        let given = try JSONDecoder().decode([String: Anything].self, from: Data(bytes)).keys
        guard let unknown = given.sorted().first(where: { !fields.contains($0) }) else { return }
        let list = fields.sorted().joined(separator: ", ")
        throw APIRefusal.badBody(
            reason: "there is no field \(CleanText.clean(unknown, charactersMax: 64)): there are"
                + " \(list)")
    }

    /// Decodes any value and ignores it.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    private static func reason(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case .typeMismatch(_, let context) where context.codingPath.isEmpty: "no JSON object"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) is of the"
                + " wrong type"
        case .dataCorrupted: "not JSON"
        @unknown default: "not JSON"
        }
    }
}

/// A body that refuses unknown fields: a misspelt field must not be ignored silently, above all if
/// it would have hidden something.
package protocol StrictBody: Decodable {
    static var fields: [String] { get }
}

/// Reason for which the API refuses a request.
package enum APIRefusal: Error, Hashable, Sendable {
    case badBody(reason: String)
    case badField(name: String, allowed: String)
    /// The problem, as a whole sentence.
    case badValue(String)
    case unauthorized
    case notFound(String)
    case conflict(String)
    case tooMany(String, retryAfterSeconds: Int)
    /// The disk accepts no change now.
    case unavailable(String)
    case failed(String)

    /// Seconds after which a client should retry; the daemon retries every few seconds, too.
    private static let retryAfterSeconds = 5

    package var response: HTTPResponse {
        switch self {
        case .badBody(let reason): Self.failure(400, "the body cannot be read: \(reason)")
        case .badField(let name, let allowed):
            Self.failure(400, "\(name) has a value that is not allowed: allowed is \(allowed)")
        case .badValue(let what): Self.failure(400, what)
        case .unauthorized:
            .failure(
                status: 401, code: 4003, reason: "token refused",
                fields: ["WWW-Authenticate": "Bearer"])
        case .notFound(let what): Self.failure(404, what)
        case .conflict(let what): Self.failure(409, what)
        case .tooMany(let what, let seconds):
            .failure(
                status: 429, code: 4029, reason: what,
                fields: ["Retry-After": String(seconds)])
        case .unavailable(let what):
            .failure(
                status: 503, code: Int(CloseCode.tryAgainLater.rawValue), reason: what,
                fields: ["Retry-After": String(Self.retryAfterSeconds)])
        case .failed(let what): Self.failure(500, what)
        }
    }

    private static func failure(_ status: Int, _ reason: String) -> HTTPResponse {
        JSONBody.response(Failure(code: status, reason: reason), status: status)
    }

    private struct Failure: Encodable {
        let code: Int
        let reason: String
    }
}
