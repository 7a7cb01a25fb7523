import Interchange
import SensorModel
import Synchronization

/// Commands for apps that ask and are never called: each waits for the device's next request.
final class WaitingCommands: Sendable {
    /// A command that nobody fetched is not obeyed much later.
    private static let keptSeconds = 600.0
    /// A device's; older ones are dropped.
    private static let waitingMax = 8

    private struct Waiting {
        var command: PushCommand
        var since: Timestamp
    }

    private let waiting = Mutex([DeviceID: [Waiting]]())

    func add(_ command: PushCommand, for device: DeviceID, at now: Timestamp) {
        waiting.withLock { waiting in
            var own = waiting[device] ?? []
            own.append(Waiting(command: command, since: now))
            waiting[device] = own.suffix(Self.waitingMax)
        }
    }

    /// What waits, oldest first.
    func commands(for device: DeviceID, at now: Timestamp) -> [PushCommand] {
        waiting.withLock { waiting in
            guard let own = waiting[device] else { return [] }
            let fresh = own.filter { now.seconds(since: $0.since) < Self.keptSeconds }
            waiting[device] = fresh.isEmpty ? nil : fresh
            return fresh.map(\.command)
        }
    }

    /// The device has them.
    func delivered(_ commands: [PushCommand], to device: DeviceID) {
        waiting.withLock { waiting in
            for command in commands {
                guard let index = waiting[device]?.firstIndex(where: { $0.command == command })
                else { continue }
                waiting[device]?.remove(at: index)
            }
        }
    }
}
