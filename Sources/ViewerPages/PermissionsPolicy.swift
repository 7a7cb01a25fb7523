/// Which of a browser's sensors and radios a page may ask for, as the header `Permissions-Policy`.
///
/// Only the record page measures. No other page gets anything, whatever script would ask.
enum PermissionsPolicy {
    /// Features of the record page.
    static let measuring = [
        "accelerometer", "bluetooth", "geolocation", "gyroscope", "screen-wake-lock",
    ]

    /// Features that no page uses, which an injected script would want first.
    private static let unused = ["camera", "display-capture", "microphone", "payment", "usb"]

    static func header(for page: PageCatalog.Page) -> String {
        let own = page == .record ? "(self)" : "()"
        return (measuring.map { "\($0)=\(own)" } + unused.map { "\($0)=()" })
            .joined(separator: ", ")
    }
}
