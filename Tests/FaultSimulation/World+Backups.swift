import Backup
import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization

/// Backups beside a running daemon, disks and registries that are lost, and devices that are added
/// afterwards.
extension World {
    /// The state that a complete backup must restore.
    struct BackedUp {
        let ledger: Ledger
        let registry: Registry
    }

    /// A minimal registry: the highest device number given and, in a backup, the backup's number.
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

    /// Activity of the log's threads and upkeep during a backup: one action in each write to it.
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

    /// Makes a backup while the daemon runs.
    func backUp() {
        registry.backup += 1
        let (registry, folder) = (registry, backupFolder)
        // The backup counts in any case: an error may come after the new one is in place.
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
        // In any case, the machine of the backup folder may lose power.
        backupFolder = random.happens(percent: 50) ? folder.crashed(&random) : folder.killed()
    }

    /// Restores the newest backup to another disk if the disk is lost.
    ///
    /// - Returns: `nil`: the disk is not lost.
    func replacedDisk() throws -> SimulatedDisk? {
        guard newestBackup > 0, random.happens(percent: 15) else { return nil }
        say("the disk is lost")
        if random.happens(percent: 30) {
            // An interrupted restore leaves nothing behind; the next one starts from scratch.
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

    /// Loses the registry or replaces it by an older one.
    func loseRegistry() {
        guard random.happens(percent: 10) else { return }
        let older = backups[newestBackup]?.registry.given ?? registry.given
        registry.given = random.happens(percent: 50) ? DeviceID(rawValue: 0) : older
        say("the registry knows devices up to \(registry.given.rawValue)")
    }

    /// Adds a device that pushes; its number must be unused, even with a lost registry.
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
    /// Goes back to the state of a backup: promises and erasures made before it began still hold.
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
