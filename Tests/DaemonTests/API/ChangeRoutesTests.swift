import Client
import Foundation
import Testing
import Transport

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct ChangeRoutesTests {
    /// A stand-in for a slow disk, which blocks all changes.
    private final class Disk: Sendable {
        private let freed = DispatchSemaphore(value: 0)

        /// Holds the lock of all changes, on a separate thread, until ``free()`` or for `seconds`.
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

    /// In release builds they would block all threads of Swift's task pool: the optimizer runs a
    /// function that never suspends on its caller's executor.
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
            // Not a latency target: shows only that the answer did not wait for the disk.
            #expect(latest.status == 200 && ContinuousClock.now - begin < .seconds(15))
            disk.free()
            for change in changes { #expect(try await change.value == 200) }
        }
    }
}
