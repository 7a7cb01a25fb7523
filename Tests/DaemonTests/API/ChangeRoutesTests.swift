import Client
import Foundation
import Testing
import Transport

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct ChangeRoutesTests {
    /// The disk, on which all changes wait.
    private final class Disk: Sendable {
        private let freed = DispatchSemaphore(value: 0)

        /// Takes the turn of all changes, on a thread of its own, until ``free()`` or for `seconds`.
        func take(_ accounts: Accounts, forSeconds seconds: Double) async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    accounts.changing {
                        continuation.resume()
                        _ = self.freed.wait(timeout: .now() + seconds)
                    }
                }
            }
        }

        func free() { freed.signal() }
    }

    /// They would take all threads of Swift's tasks, with the optimizer: it runs what never suspends
    /// where it is asked for.
    @Test func `Owners whose changes wait for the disk hold nobody else`() async throws {
        try await RunningDaemon.run { running in
            let tokens = try (0..<8).map { try running.addDevice("runner \($0)") }
            let share = try running.addShare(of: "runner 0")
            let disk = Disk()
            await disk.take(running.daemon.accounts, forSeconds: 20)
            let begin = ContinuousClock.now
            let changes = tokens.map { token in
                Task {
                    try await running.ask(
                        .put, "/v1/me/profile", token: token, body: #"{"maxHeartRate":190}"#
                    ).status
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            let latest = try await running.ask(.get, "/v1/shares/\(share)/latest")
            // Not a time to be kept, but whether it waited for the disk.
            #expect(latest.status == 200 && ContinuousClock.now - begin < .seconds(15))
            disk.free()
            for change in changes { #expect(try await change.value == 200) }
        }
    }
}
