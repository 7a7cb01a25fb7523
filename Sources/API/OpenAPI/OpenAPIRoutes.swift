import Runtime
package import Transport

/// The API's description, for programs: OpenAPI 3.1.
package struct OpenAPIRoutes: Sendable {
    package init() {}

    /// Built at the first request: it takes 4 ms of a processor, a tenth of a start.
    private static let document = JSONBody.bytes(Self.description) ?? []

    package func add(to router: inout Router) {
        router.add(.get, "/openapi.json") { request in
            HTTPResponse.json(Self.document).tagged(for: request).open()
        }
    }

    package static let description: OpenAPINode = [
        "openapi": "3.1.0",
        "info": [
            "title": "Pulsecast", "version": .text(Version.text),
            "description": """
            Live heart rate, cadence and position of a runner. Errors are one object with a \
            code and a reason. WebSockets (`/v1/device`, `/v1/shares/{share}/live` and those \
            of the readers) are described in Sources/Documentation/Protocol.md.
            """,
        ],
        "paths": .object(paths),
        "components": [
            "schemas": .object(OpenAPISchemas.all),
            "securitySchemes": [
                "deviceToken": ["type": "http", "scheme": "bearer"],
                "deviceTokenAsPassword": ["type": "http", "scheme": "basic"],
                "shareID": ["type": "http", "scheme": "bearer"],
            ],
        ],
    ]

    private static var paths: [String: OpenAPINode] {
        Dictionary(grouping: OpenAPIOperations.all, by: \.path).mapValues { operations in
            .object(
                Dictionary(
                    uniqueKeysWithValues: operations.map {
                        ($0.method.rawValue.lowercased(), $0.node)
                    }))
        }
    }
}
