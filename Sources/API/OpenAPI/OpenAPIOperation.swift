package import Transport

/// One method of one path in the OpenAPI description.
package struct OpenAPIOperation: Hashable, Sendable {
    enum Security: Hashable, Sendable {
        /// No credential, or one in the path.
        case none
        case deviceToken
        /// A bearer token, Basic credentials, or a token in the path.
        case pushToken
        case shareID
    }

    /// The request body.
    package struct Body: Hashable, Sendable {
        package var type: String
        var schema: OpenAPINode
    }

    /// A response; an error status also gets the error object.
    package struct Answer: Hashable, Sendable {
        package var status: Int
        package var description: String
        /// Content types; empty: there is no body.
        var types: [String] = []
        var schema: OpenAPINode = [:]
    }

    package var method: HTTPRequest.Method
    /// Path with `{name}` where the router has `:name`.
    package var path: String
    var tag: String
    package var summary: String
    var security = Security.none
    /// Query parameters: name, schema, meaning.
    package var query: [(name: String, schema: OpenAPINode, meaning: String)] = []
    package var body: Body?
    package var answers: [Answer]

    package static func == (left: Self, right: Self) -> Bool { left.node == right.node }
    package func hash(into hasher: inout Hasher) { hasher.combine(node) }

    // MARK: As JSON

    var node: OpenAPINode {
        var members: [String: OpenAPINode] = [
            "tags": [.text(tag)], "summary": .text(summary),
            "operationId": .text(identifier), "parameters": .array(parameters),
            "responses": .object(responses),
        ]
        if let body {
            members["requestBody"] = [
                "required": true, "content": [body.type: ["schema": body.schema]],
            ]
        }
        switch security {
        case .none: members["security"] = []
        case .deviceToken: members["security"] = [["deviceToken": []]]
        case .pushToken:
            members["security"] = [["deviceToken": []], ["deviceTokenAsPassword": []]]
        case .shareID: members["security"] = [["shareID": []]]
        }
        return .object(members)
    }

    private var identifier: String {
        let words = path.split { !$0.isLetter && !$0.isNumber }
        return method.rawValue.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private var parameters: [OpenAPINode] {
        let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().dropLast())
            return [
                "name": .text(name), "in": "path", "required": true,
                "schema": ["type": "string", "minLength": 1],
            ] as OpenAPINode
        }
        return inPath
            + query.map { item in
                [
                    "name": .text(item.name), "in": "query", "required": false,
                    "description": .text(item.meaning), "schema": item.schema,
                ]
            }
    }

    private var responses: [String: OpenAPINode] {
        var responses: [String: OpenAPINode] = [:]
        for answer in answers {
            var response: [String: OpenAPINode] = ["description": .text(answer.description)]
            if !answer.types.isEmpty {
                let content = answer.types.map { ($0, ["schema": answer.schema] as OpenAPINode) }
                response["content"] = .object(Dictionary(content) { first, _ in first })
            }
            responses[String(answer.status)] = .object(response)
        }
        return responses
    }
}

extension OpenAPIOperation.Answer {
    package static func json(
        _ schema: OpenAPINode, _ description: String = "As described.", status: Int = 200
    ) -> Self {
        Self(status: status, description: description, types: ["application/json"], schema: schema)
    }

    package static func file(_ types: String..., description: String) -> Self {
        Self(status: 200, description: description, types: types, schema: ["type": "string"])
    }

    package static func empty(_ status: Int, _ description: String) -> Self {
        Self(status: status, description: description)
    }

    package static func failure(_ status: Int, _ description: String) -> Self {
        Self(
            status: status, description: description, types: ["application/json"],
            schema: ["$ref": "#/components/schemas/Failure"])
    }

    static let badRequest = failure(
        400, "A value is missing, or not allowed; the reason says which.")
    static let tokenRefused = failure(401, "The token is missing, wrong or revoked.")
    package static let notFound = failure(404, "The device has no such thing.")
    static let unknownShare = failure(
        404, "Unknown, revoked or expired: these are told apart by nobody.")
    static let conflict = failure(409, "It contradicts what is there; the reason says how.")
    static let tooMany = failure(429, "Too many; `Retry-After` says when to come back.")
    static let readsBusy = failure(
        503, "Too many recordings are being read; `Retry-After` says when to come back.")
    static let notWritable = failure(
        503, "The disk takes no change now; the reason says why, `Retry-After` when to ask again.")
}
