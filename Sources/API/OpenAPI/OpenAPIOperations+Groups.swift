import Transport

/// Operations of groups that owners of devices make.
extension OpenAPIOperations {
    static let groups: [OpenAPIOperation] = [
        owned(
            .get, "/groups", "Groups that the owner made, or is in.",
            [.json(OpenAPISchemas.list(OpenAPISchemas.reference("Group")))]),
        owned(
            .post, "/groups", "A new group, whose first member is the owner.",
            body: json("NewGroup"),
            [
                .json(OpenAPISchemas.reference("Group"), status: 201), .badRequest, .conflict,
                .notWritable,
            ]),
        owned(
            .post, "/groups/join", "Joins the group of an invitation.", body: json("Join"),
            [
                .json(OpenAPISchemas.reference("Group"), status: 201), .badRequest, .notFound,
                .conflict, .notWritable,
            ]),
        owned(
            .delete, "/groups/{name}", "Ends an own group, or leaves another's.",
            [.empty(204, "Done."), .notFound, .notWritable]),
        owned(
            .post, "/groups/{name}/invite",
            "An invitation: anybody who has it may join, until it is over.",
            body: json("NewInvitation"),
            [
                .json(OpenAPISchemas.reference("Invitation"), status: 201), .badRequest, .notFound,
                .conflict,
            ]),
        owned(
            .post, "/groups/{name}/rotate", "Another link; invitations are over.",
            [.json(OpenAPISchemas.reference("Group")), .notFound, .conflict, .notWritable]),
        owned(
            .delete, "/groups/{name}/members/{number}", "Takes a member out of an own group.",
            [.empty(204, "Done."), .notFound, .conflict, .notWritable]),
    ]
}
