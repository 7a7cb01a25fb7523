/// Sources from which a page may load: only its own files and its own daemon. Inline code never
/// runs.
public enum ContentSecurityPolicy {
    /// Policy of pages that people open; other sites cannot frame them.
    public static func page(_ settings: PageSettings = PageSettings()) -> String {
        directives(images: settings.tileOrigin.map { " \($0)" } ?? "", ancestors: "'none'")
    }

    /// Policy of the overlay, which streaming software may show in a frame.
    public static func overlay(_ settings: PageSettings = PageSettings()) -> String {
        directives(images: "", ancestors: settings.overlayFrameAncestors)
    }

    private static func directives(images: String, ancestors: String) -> String {
        [
            "default-src 'none'", "script-src 'self'", "style-src 'self'",
            "img-src 'self' blob:\(images)", "connect-src 'self'", "manifest-src 'self'",
            "base-uri 'none'", "form-action 'self'", "frame-ancestors \(ancestors)",
            "require-trusted-types-for 'script'",
        ].joined(separator: "; ")
    }
}
