/// Sources from which a page may load: only its own files and its own daemon. Inline code never
/// runs.
public enum ContentSecurityPolicy {
    /// Policy of pages that people open; other sites cannot frame them.
    public static func page(_ settings: PageSettings = PageSettings()) -> String {
        directives(images: settings.tileOrigin.map { " \($0)" } ?? "", ancestors: "'none'")
    }

    /// Policy of the overlay, which streaming software may show in a frame, and its set-up page.
    public static func overlay(_ settings: PageSettings = PageSettings()) -> String {
        let configured = settings.overlayFrameAncestors.split(separator: " ").filter {
            $0 != "'none'" && $0 != "'self'"
        }
        let ancestors = configured == ["*"] ? configured : ["'self'"] + configured
        return directives(images: "", ancestors: ancestors.joined(separator: " "))
    }

    /// Policy of the page that sets an overlay up, and shows it in a frame.
    public static func overlaySetup() -> String {
        directives(images: "", ancestors: "'none'") + "; frame-src 'self'"
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
