import Sharing
import Transport

/// Fields that receivers of alerts and targets of runs have alike.
enum OutsideFields {
    /// - Parameters:
    ///   - parameter: Name of the path's parameter.
    ///   - request: The request.
    /// - Returns: The name in its path.
    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    static func name(
        _ parameter: String, of request: HTTPRequest
    ) throws(APIRefusal) -> String {
        let name = request.parameters[parameter] ?? ""
        guard ShareDirectory.isName(name) else {
            throw .badField(name: "name", allowed: "1 to 64 letters, digits, spaces, - _ or .")
        }
        return name
    }

    /// Checks the lengths of an address and a secret, and that a header field can hold the secret.
    ///
    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    static func check(
        address: String, secret: String?, bytesMax: Int
    ) throws(APIRefusal) {
        guard address.utf8.count <= bytesMax, secret?.utf8.count ?? 0 <= bytesMax else {
            throw .badField(name: "address", allowed: "\(bytesMax) bytes, and of the secret, too")
        }
        guard secret?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) ?? true else {
            throw .badField(name: "secret", allowed: "printable ASCII without spaces")
        }
    }
}
