import Glibc
import Logging
import Registry
import Runtime
import SegmentLog
import SensorModel
import Synchronization
import Transport

/// Reports disk failures: to the daemon's owner in `/readyz` and the journal, and to devices.
struct Troubles: Sendable {
    let health = Health()
    private let folder: StateFolder
    private let logger: Logger
    private let devices = Devices()

    /// The loops, once they exist, and the notice for their devices.
    private final class Devices: Sendable {
        struct State {
            var loops: LoopGroup?
            var notice: String?
        }

        let state = Mutex(State())
    }

    init(of folder: StateFolder, logger: Logger) {
        self.folder = folder
        self.logger = logger
    }

    /// Sets the loops. Their devices get the notice if the log has already failed.
    func begin(telling loops: LoopGroup) {
        devices.state.withLock { state in
            state.loops = loops
            if let notice = state.notice { loops.tellDevices(notRecordedBecause: notice) }
        }
    }

    func logChanged(to state: LogState) {
        switch state {
        case .writing:
            health.set(.log, nil)
            tellDevices(nil)
            logger.log(.logWrittenAgain, .notice, "the log is written again")
        // Not a disk: see ``ReplicatedDisk``.
        case .failed(let error) where error.number == ECONNABORTED:
            health.set(.log, "this node does not lead its cluster any more")
        case .failed(let error):
            let trouble = error.trouble.examined(in: folder.path)
            let text = "\(trouble), \(error.place); \(trouble.advice)"
            health.set(.log, "the log cannot be written: \(text)")
            tellDevices(
                "nothing is recorded now, \(trouble): keep your frames, acks go on by themselves")
            logger.log(
                .logFailed, .critical,
                "the log cannot be written, nothing is acknowledged until it can: \(text)")
        case .closed: break
        }
    }

    func registryChanged(to trouble: DiskTrouble?) {
        guard let trouble else {
            health.set(.registry, nil)
            logger.log(.registryWrittenAgain, .notice, "devices and shares can be changed again")
            return
        }
        let text = "devices and shares cannot be changed: \(trouble); \(trouble.advice)"
        health.set(.registry, text)
        logger.log(.registryFailed, .error, "\(text)")
    }

    private func tellDevices(_ notice: String?) {
        devices.state.withLock { state in
            state.notice = notice
            state.loops?.tellDevices(notRecordedBecause: notice)
        }
    }
}
