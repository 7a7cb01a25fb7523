import Transport

/// Operations of the targets to which finished runs are delivered.
extension OpenAPIOperations {
    static let deliveries: [OpenAPIOperation] = [
        owned(
            .get, "/targets", "Where finished runs are delivered.",
            [.json(OpenAPISchemas.list(OpenAPISchemas.reference("Target")))]),
        owned(
            .put, "/targets/{name}",
            "Adds a target, or changes it. A secret that is not given stays, as long as kind and "
                + "address do.",
            body: json("NewTarget"),
            [.json(OpenAPISchemas.reference("Target")), .badRequest, .conflict, .notWritable]),
        owned(
            .delete, "/targets/{name}", "No run is delivered there any more.",
            [.empty(204, "Done."), .badRequest, .notFound, .notWritable]),
        owned(
            .get, "/deliveries", "The newest hundred deliveries, newest first.",
            [.json(OpenAPISchemas.list(OpenAPISchemas.reference("Delivery")))]),
        owned(
            .post, "/deliveries", "Delivers a session now, also if it was before.",
            body: json("NewDelivery"),
            [
                .json(OpenAPISchemas.reference("Delivery"), status: 202), .badRequest, .notFound,
                .conflict, .notWritable,
            ]),
    ]
}
