import Transport

extension HTTPRequest {
    /// Whether the client takes an answer that is compressed by gzip.
    var acceptsGzip: Bool { fields["accept-encoding"]?.contains("gzip") ?? false }
}
