import PushFormats
import Transport

typealias OpenAPIMethod = HTTPRequest.Method

/// Operations for existing push applications and existing readers.
extension OpenAPIOperations {
    static let push: [OpenAPIOperation] = PushFormat.allCases.flatMap { format in
        let methods: [OpenAPIMethod] =
            [.post] + (format.takesGet ? [.get] : []) + (format.takesPut ? [.put] : [])
        return ["/in/\(format.rawValue)/{token}", "/in/\(format.rawValue)"].flatMap { path in
            methods.map { push(format, $0, path) }
        }
    }

    private static func push(
        _ format: PushFormat, _ method: OpenAPIMethod, _ path: String
    ) -> OpenAPIOperation {
        let isForm = format.takesGet
        let body = OpenAPIOperation.Body(
            type: isForm ? "application/x-www-form-urlencoded" : "application/json",
            schema: ["type": ["object", "string"]])
        let refused: OpenAPIOperation.Answer =
            format == .sensorlogger
            ? .file("text/plain", description: "What Sensor Logger shows to its user.")
            : .tokenRefused
        var answers: [OpenAPIOperation.Answer] = [
            .empty(200, "What the application waits for."), .badRequest, refused, .tooMany,
            .failure(503, "The log cannot be written now: send it again."),
        ]
        if format == .sensorlogger { answers[2].status = 499 }
        return OpenAPIOperation(
            method: method, path: path, tag: "push", summary: "Takes what \(format) sends.",
            security: path.hasSuffix("}") ? .none : .pushToken,
            body: method == .get ? nil : body, answers: answers)
    }

    static let readers: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get, path: "/api/v1/data/heart_rate/latest", tag: "readers",
            summary: "The heart rate as Pulsoid's readers ask for it.", security: .shareID,
            query: [
                (
                    "response_mode", OpenAPISchemas.text,
                    "`text_plain_only_heart_rate`: the number alone."
                )
            ],
            answers: [
                .json(OpenAPISchemas.reference("Pulsoid")),
                .json(["type": "object"], "Not a share's ID.", status: 403),
                .empty(412, "No heart rate now."), .tooMany,
            ]),
        OpenAPIOperation(
            method: .get, path: "/api/v1/token/validate", tag: "readers",
            summary: "What Pulsoid's readers ask before anything else.", security: .shareID,
            answers: [
                .json(["type": "object"]),
                .json(["type": "object"], "Not a share's ID.", status: 403), .tooMany,
            ]),
    ]
}
