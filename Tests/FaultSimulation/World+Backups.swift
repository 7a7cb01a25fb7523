import Backup
import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization

/// Backups beside a running daemon, disks and registries that are lost, and devices that are added
/// afterwards.
extension World {
    /// What a backup must bring back if it is whole.
    struct BackedUp {
        let ledger: Ledger
        let registry: Registry
    }

    /// What is left of the registry here: the highest device number that it has given, and in a
    /// backup which one it is.
    struct Registry: Hashable {
        var given: DeviceID
        var backup = 0

        init(given: DeviceID) { self.given = given }

        init?(_ bytes: [UInt8]) {
            let numbers = bytes.split(separator: UInt8(ascii: " ")).compactMap {
                UInt32(String(decoding: $0, as: UTF8.self))
            }
            guard numbers.count == 2 else { return nil }
            (given, backup) = (DeviceID(rawValue: numbers[0]), Int(numbers[1]))
        }

        var bytes: [UInt8] { Array("\(given.rawValue) \(backup)".utf8) }
    }

    private static let registryName = "registry.sqlite"

    // MARK: Backups

    /// What the log's threads and its upkeep do while a backup is made: something in each write to
    /// the backup.
    private final class Meanwhile: Sendable {
        private let log: SegmentLog
        private let target: SimulatedDisk
        private let erasing: [SessionID]
        private let random: Mutex<SplitMix>

        init(_ log: SegmentLog, target: SimulatedDisk, erasing: Set<SessionID>, seed: UInt64) {
            self.log = log
            self.target = target
            self.erasing = erasing.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
            random = Mutex(SplitMix(state: seed))
        }

        func begin() { target.state.withLock { $0.duringWrite = { self.act() } } }

        func end() { target.state.withLock { $0.duringWrite = nil } }

        private func act() {
            defer { begin() }
            let (choice, index) = random.withLock { ($0.below(8), $0.below(max(1, erasing.count))) }
            switch choice {
            case 0: _ = log.writeStep()
            case 1: _ = log.commitStep()
            case 2: _ = log.syncStep()
            case 3: _ = log.repair()
            case 4: do { try log.saveCatalog() } catch { return }
            case 5:
                guard index < erasing.count else { return }
                do { _ = try log.erase([erasing[index]]) } catch { return }
            default: return
            }
        }
    }

    /// The owner makes a backup; the daemon goes on.
    func backUp() {
        registry.backup += 1
        let (registry, folder) = (registry, backupFolder)
        // It counts however it ends: an error may come when the new one is in place.
        backups[registry.backup] = BackedUp(ledger: ledger, registry: registry)
        if random.happens(percent: 25) {
            folder.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: folder.calls + random.below(40), isForEver: true))
        }
        _ = breakReads()
        let meanwhile = Meanwhile(
            life.log, target: folder, erasing: life.erasing, seed: random.next())
        meanwhile.begin()
        do {
            let outcome = try StateBackup(log: disk, target: folder) { name in
                try folder.open(name, .create).writeAll(registry.bytes.span, at: 0)
            }.run(at: now)
            say("backup: \(outcome)")
            newestBackup = registry.backup
        } catch {
            say("no backup: \(error)")
        }
        meanwhile.end()
        mendReads()
        // However it ended, the folder's machine may lose power.
        backupFolder = random.happens(percent: 50) ? folder.crashed(&random) : folder.killed()
    }

    /// Another disk in place of the lost one.
    ///
    /// - Returns: `nil`: the disk is not lost.
    func replacedDisk() throws -> SimulatedDisk? {
        guard newestBackup > 0, random.happens(percent: 15) else { return nil }
        say("the disk is lost")
        if random.happens(percent: 30) {
            // A restore that is interrupted leaves nothing: it begins anew.
            let log = SimulatedDisk()
            log.fail(
                SimulatedDisk.Fault(kind: .inputOutput, call: random.below(12), isForEver: true))
            _ = try? StateRestore(
                backup: backupFolder, state: SimulatedDisk(), log: log, finish: {}
            ).run()
        }
        let (state, log) = (SimulatedDisk(), SimulatedDisk())
        do {
            _ = try StateRestore(
                backup: backupFolder, state: state, log: log, finish: {}
            ).run()
        } catch { throw Violation("a backup that was whole is not restored: \(error)") }
        let found = Registry(state.crashed(&random).content(of: Self.registryName))
        guard let found, found.backup >= newestBackup, let backup = backups[found.backup],
            backup.registry == found
        else { throw Violation("what is restored is not the newest backup") }
        registry.given = found.given
        ledger.restore(backup.ledger)
        return log.crashed(&random)
    }

    // MARK: Devices

    /// The registry is lost, or one of before is put in its place.
    func loseRegistry() {
        guard random.happens(percent: 10) else { return }
        let older = backups[newestBackup]?.registry.given ?? registry.given
        registry.given = random.happens(percent: 50) ? DeviceID(rawValue: 0) : older
        say("the registry knows devices up to \(registry.given.rawValue)")
    }

    /// The owner adds a device, which pushes. Its number is nobody else's, whatever became of the
    /// registry.
    func addDevice() throws {
        let sessions = life.log.sessions()
        let device = DeviceID.next(given: registry.given, inLog: sessions.map(\.device).max())
        say("device \(device.rawValue) is added")
        if let other = sessions.first(where: { $0.device == device }) {
            throw Violation("device \(device.rawValue) is new and owns session \(other.session)")
        }
        registry.given = device
        let session = SessionID(using: &random)
        ledger.books[session] = Ledger.Book(device: device)
        pushers.append(Pusher(device: device, session: session))
    }
}

extension Ledger {
    /// The disk is lost, and a backup restored: what was promised before the backup began holds, as
    /// do erasures of before.
    mutating func restore(_ backup: Ledger) {
        held = backup.held
        takeRemovals(of: backup)
        for session in books.keys {
            let before = backup.books[session]
            books[session]?.taken = []
            books[session]?.promised = before?.promised ?? []
            books[session]?.settled = before?.settled ?? []
            books[session]?.removed = before?.removed ?? []
            books[session]?.forgotten = before?.forgotten ?? []
            books[session]?.acknowledged = before?.promised.max() ?? 0
        }
    }
}
