import Foundation
import Transport

/// Hangs the pipeline on purpose, to see that the watchdog notices and systemd recovers it.
///
/// Only there while the service has a credential named recovery-drill, which root alone can give it:
/// `SetCredential=recovery-drill:on` in a drop-in.
struct RecoveryDrill: Sendable {
    /// Longer than any watchdog is patient.
    private static let secondsMax = 3600.0

    private let pipeline: Pipeline

    /// `nil` without the credential.
    init?(environment: [String: String], pipeline: Pipeline) {
        guard let folder = environment["CREDENTIALS_DIRECTORY"],
            FileManager.default.fileExists(atPath: folder + "/recovery-drill")
        else { return nil }
        self.pipeline = pipeline
    }

    func add(to router: inout Router) {
        router.add(.post, "/drill/hang-pipeline") { _ in
            pipeline.mailbox.post { _ in Thread.sleep(forTimeInterval: Self.secondsMax) }
            return .text("the pipeline hangs from now on\n")
        }
    }
}
