import Foundation
package import Runtime
package import Transport

/// Hangs the pipeline on purpose, to test that the watchdog notices and systemd restarts it.
///
/// Available only while the service has a credential named recovery-drill, which only root can set:
/// `SetCredential=recovery-drill:on` in a drop-in.
package struct RecoveryDrill: Sendable {
    /// Longer than every watchdog timeout.
    private static let secondsMax = 3600.0

    private let pipeline: Pipeline

    /// `nil` without the credential.
    package init?(environment: [String: String], pipeline: Pipeline) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"],
            FileManager.default.fileExists(atPath: folder + "/recovery-drill")
        else { return nil }
        self.pipeline = pipeline
    }

    package func add(to router: inout Router) {
        router.add(.post, "/drill/hang-pipeline") { _ in
            pipeline.mailbox.post { _ in Thread.sleep(forTimeInterval: Self.secondsMax) }
            return .text("the pipeline hangs from now on\n")
        }
    }
}
