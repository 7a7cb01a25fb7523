/// What a page may load: its own files, its own daemon, nothing else. Nothing inline ever runs.
public enum ContentSecurityPolicy {
    /// Pages that people open. Never inside another site's frame.
    public static func page(_ settings: PageSettings = PageSettings()) -> String {
        directives(images: settings.tileOrigin.map { " \($0)" } ?? "", ancestors: "'none'")
    }

    /// The overlay, which streaming software may show in a frame.
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
