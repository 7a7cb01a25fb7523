/// Sensors and radios of a browser that a page may ask for: the header `Permissions-Policy`.
///
/// Only the record page measures. Every other page gets nothing, whatever a script asks for.
enum PermissionsPolicy {
    /// Features of the record page.
    static let measuring = [
        "accelerometer", "bluetooth", "geolocation", "gyroscope", "screen-wake-lock",
    ]

    /// Features that no page uses, and that an injected script would want first.
    private static let unused = ["camera", "display-capture", "microphone", "payment", "usb"]

    static func header(for page: PageCatalog.Page) -> String {
        let own = page == .record ? "(self)" : "()"
        return (measuring.map { "\($0)=\(own)" } + unused.map { "\($0)=()" })
            .joined(separator: ", ")
    }
}
