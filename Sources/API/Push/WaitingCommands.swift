package import PushFormats
package import SensorModel
import Synchronization

/// Commands for apps without an open connection: each waits for the device's next request.
package final class WaitingCommands: Sendable {
    /// A command is dropped after this time: a late one must not be executed.
    private static let keptSeconds = 600.0
    /// Waiting commands per device; older ones are dropped.
    private static let waitingMax = 8

    private struct Waiting {
        var command: PhoneCommand
        var since: Timestamp
    }

    private let waiting = Mutex([DeviceID: [Waiting]]())

    package init() {}

    package func add(_ command: PhoneCommand, for device: DeviceID, at now: Timestamp) {
        waiting.withLock { waiting in
            var own = waiting[device] ?? []
            own.append(Waiting(command: command, since: now))
            waiting[device] = own.suffix(Self.waitingMax)
        }
    }

    /// Waiting commands, oldest first.
    package func commands(for device: DeviceID, at now: Timestamp) -> [PhoneCommand] {
        waiting.withLock { waiting in
            guard let own = waiting[device] else { return [] }
            let fresh = own.filter { now.seconds(since: $0.since) < Self.keptSeconds }
            waiting[device] = fresh.isEmpty ? nil : fresh
            return fresh.map(\.command)
        }
    }

    /// Removes commands that the device has received.
    func delivered(_ commands: [PhoneCommand], to device: DeviceID) {
        waiting.withLock { waiting in
            for command in commands {
                guard let index = waiting[device]?.firstIndex(where: { $0.command == command })
                else { continue }
                waiting[device]?.remove(at: index)
            }
        }
    }
}
