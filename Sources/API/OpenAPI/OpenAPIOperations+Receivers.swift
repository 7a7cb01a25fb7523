import Transport

/// Operations of those whom an owner wants told of alerts.
extension OpenAPIOperations {
    static let receivers: [OpenAPIOperation] = [
        owned(
            .get, "/receivers", "Who is told of alerts.",
            [.json(OpenAPISchemas.list(OpenAPISchemas.reference("Receiver")))]),
        owned(
            .put, "/receivers/{name}",
            "Adds a receiver, or changes it. The first one makes a share, which says what "
                + "receivers may see; an alert renews its link.",
            body: json("NewReceiver"),
            [
                .json(OpenAPISchemas.reference("Receiver")), .badRequest, .conflict, .notWritable,
            ]),
        owned(
            .delete, "/receivers/{name}", "It is told no more.",
            [.empty(204, "Done."), .badRequest, .notFound, .notWritable]),
        owned(
            .post, "/receivers/{name}/test", "Sends it a message that is a test.",
            [.json(OpenAPISchemas.reference("Tried")), .badRequest, .notFound]),
    ]

    static let confirmation = OpenAPIOperation(
        method: .post, path: "/alert/{token}", tag: "viewers",
        summary: "A receiver takes care of an alert; its message has the address.",
        answers: [.json(OpenAPISchemas.reference("Confirmed")), .unknownShare, .tooMany])
}
