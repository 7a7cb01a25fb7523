import API
import Sharing
import Transport

/// Checks that a refusal is a sentence of bounded length for any input.
enum Refusals {
    private static let bytesMax = 4096

    static func check(_ refusal: any Error) throws(Breach) {
        if let breach = refusal as? Breach { throw breach }
        let text: String
        switch refusal {
        case let refusal as APIRefusal: text = try reason(of: refusal)
        case let refusal as ShareError: text = "\(refusal)"
        default: throw Breach(what: "an error of another kind: \(refusal)")
        }
        try expect(text.utf8.count > 10, "a refusal without a reason: \(text)")
        try expect(!text.contains("field  "), "a refusal of no field: \(text)")
        try expect(text.utf8.count <= bytesMax, "a refusal of \(text.utf8.count) bytes")
    }

    private static func reason(of refusal: APIRefusal) throws(Breach) -> String {
        try expect(
            (400..<500).contains(refusal.response.status), "status \(refusal.response.status)")
        switch refusal {
        case .badBody(let reason): return "the body: " + reason
        case .badField(let name, let allowed):
            try expect(!name.isEmpty && !allowed.isEmpty, "a refusal that names no field")
            return "\(name): allowed is \(allowed)"
        case .badValue(let what): return what
        default: throw Breach(what: "a body is refused as \(refusal)")
        }
    }
}
