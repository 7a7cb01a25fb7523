import ArgumentParser
import Backup
import Foundation
import Runtime

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies log and registry into a folder, also while the daemon runs.",
        discussion: """
            Run it again with the same folder: only what is new is copied. However it ends, the \
            folder holds the old backup or the new one. Sessions that were erased are gone from \
            it with the next backup. The master key is not in it: keep a copy of it elsewhere.

            Example:
              pulsecast backup /mnt/backup/pulsecast
            """)

    @Argument(
        help: .value("folder", "A new folder, or that of an older backup."),
        completion: .directory)
    var folder: String
    @Option(
        name: .customLong("state"),
        help: .value("folder", "The daemon's state folder; found by itself otherwise."),
        completion: .directory)
    var stateFolder: String?
    @Flag(help: "Print what was done as JSON.") var json = false

    func run() throws {
        let done: StateBackup.Outcome
        do {
            done = try BackupFolders.backUp(
                LogPlace.state(stateFolder), to: folder, at: WallClock.now())
        } catch { throw CommandFailure("\(error)") }
        if json { return try Terminal.say(encoded: done) }
        Terminal.say(
            "\(folder): \(done.segments) segment(s), \(done.bytes >> 20) MiB;"
                + " copied \(done.segmentsCopied) of them, \(done.bytesCopied >> 20) MiB")
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a state folder of a backup; there must be none, or an empty one.",
        discussion: """
            Stop the daemon, move its state folder away, restore, put the master key into the \
            new folder, start. Every file is checked against its checksum; however it ends, \
            there is all of the state folder or nothing of it.

            Example:
              pulsecast restore /mnt/backup/pulsecast --state restored
            """)

    @Argument(help: .value("folder", "The folder of the backup."), completion: .directory)
    var folder: String
    @Option(
        name: .customLong("state"),
        help: .value("folder", "The daemon's state folder; found by itself otherwise."),
        completion: .directory)
    var stateFolder: String?
    @Flag(help: "Print what was done as JSON.") var json = false

    private struct Outcome: Encodable {
        let state: String
        let segments: Int
        let bytes: Int
    }

    func run() throws {
        let state = LogPlace.state(stateFolder)
        let done: (segments: Int, bytes: Int)
        do { done = try BackupFolders.restore(folder, to: state) } catch {
            throw CommandFailure("\(error)")
        }
        if json {
            return try Terminal.say(
                encoded: Outcome(state: state.path, segments: done.segments, bytes: done.bytes))
        }
        Terminal.say("\(state.path): \(done.segments) segment(s), \(done.bytes >> 20) MiB")
    }
}
