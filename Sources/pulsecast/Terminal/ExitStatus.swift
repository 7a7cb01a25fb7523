import ArgumentParser
import Foundation
import Runtime

/// Exit status of a command: 0 done, 1 failed, 2 wrong use or configuration, 3 the log is damaged,
/// 75 a node of a cluster leads no longer and is to be started again.
enum ExitStatus {
    static let failed: Int32 = 1
    static let wrongUse: Int32 = 2
    static let damagedLog: Int32 = 3
    /// `EX_TEMPFAIL` of sysexits.h.
    static let notLeading: Int32 = 75

    /// Prints the error and a remedy to stderr; help and version go to stdout.
    ///
    /// - Parameter error: An error of a command or of parsing.
    /// - Returns: The process's exit status.
    static func report(_ error: any Error) -> Int32 {
        if let failure = error as? CommandFailure {
            Terminal.complain(failure.description)
            return failure.status
        }
        if let error = error as? ConfigurationError {
            Terminal.complain("\(error)")
            return wrongUse
        }
        let code = Pulsecast.exitCode(for: error)
        let message = Pulsecast.fullMessage(for: error)
        if code.isSuccess {
            if !message.isEmpty { Terminal.say(message) }
            return code.rawValue
        }
        let isWrongUse = code == .validationFailure
        if !message.isEmpty { Terminal.complain(isWrongUse ? message : "\(error)") }
        return isWrongUse ? wrongUse : failed
    }
}

/// Reason for which a command failed, in one sentence with a remedy.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    let status: Int32

    init(_ description: String, status: Int32 = ExitStatus.failed) {
        self.description = description
        self.status = status
    }
}
