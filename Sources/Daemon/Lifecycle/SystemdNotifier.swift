import Foundation
import Runtime
import Synchronization

/// Reports the daemon's state to systemd in datagrams of sd_notify(3). Does nothing without
/// systemd.
public final class SystemdNotifier: Sendable {
    public enum Message: Hashable, Sendable {
        case ready
        case reloading(monotonicMicroseconds: UInt64)
        case stopping
        case watchdog
        case status(String)
        case mainProcess(pid: Int32)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let moment): "RELOADING=1\nMONOTONIC_USEC=\(moment)"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            case .status(let text): "STATUS=\(text)"
            case .mainProcess(let pid): "MAINPID=\(pid)"
            }
        }
    }

    /// Watchdog interval, seconds; `nil`: there is no watchdog.
    public let watchdogSeconds: Double?
    private let path: String?

    /// - Parameters:
    ///   - environment: Environment with `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - processID: This process; a watchdog for another one is ignored.
    public init(environment: [String: String], processID: Int32) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == processID } ?? true
        watchdogSeconds = environment["WATCHDOG_USEC"].flatMap(Double.init)
            .flatMap { isOurs && $0 > 0 ? $0 / 1_000_000 : nil }
    }

    /// Sends messages; any thread. A message that cannot be sent is dropped: the service works
    /// without it.
    public func send(_ messages: Message...) {
        guard let path else { return }
        let text = messages.map(\.text).joined(separator: "\n")
        UnixDatagram.send(Array(text.utf8), to: path)
    }
}
