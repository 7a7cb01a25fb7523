import FaultyDisk
import Foundation
import Logging
import Registry
import Secrets
import SegmentLog
import SensorModel
import Transport
import WireFormat

@testable import Runtime

/// The daemon's pipeline with all its threads: loops, pipeline thread, the log's two, readers.
/// Frames arrive through the loops and their rings as from pushes; there are no sockets.
final class RacingPipeline: Sendable {
    let pipeline: Pipeline
    let accounts: Accounts
    let disk = SimulatedDisk()
    let devices: [DeviceID]
    private let folder: String

    init(loops: Int, devices count: Int) throws {
        folder = NSTemporaryDirectory() + "pulsecast-race-\(UUID().uuidString)"
        let registry = try RegistryStore(folder: folder)
        var generator = SystemRandomNumberGenerator()
        devices = try (1...count).map { number in
            try registry.addDevice(
                name: "device-\(number)", tokenHash: DeviceToken(using: &generator).hash,
                at: WallClock.now(), privacySalt: UInt64(number), sealProofKey: { _ in [1] }
            ).id
        }
        guard let key = MasterKey(bytes: [UInt8](repeating: 7, count: 32)) else {
            throw CocoaError(.coderInvalidValue)
        }
        accounts = try Accounts(
            registry: registry, masterKey: key, failuresPerMinuteMax: 10, viewersPerShareMax: 10)
        var configuration = Configuration()
        configuration.eventLoops = loops
        configuration.ingest.ringBytes = 16 << 10
        configuration.log.segmentBytesMax = 64 << 10
        configuration.log.reserveBytes = 0
        pipeline = try Pipeline(
            configuration: configuration, disk: disk, newEpoch: 1, accounts: accounts,
            began: { _, _, _ in }, notice: { _, _, _ in }, stateChanged: { _ in },
            logger: Logger(label: "race", factory: { _ in SwiftLogNoOpLogHandler() }))
        try pipeline.start(accounts)
    }

    /// Stops in the order of the daemon.
    func stop() async {
        await pipeline.stop()
        await pipeline.loops.shutdown()
        // A leftover folder is harmless.
        try? FileManager.default.removeItem(atPath: folder)
    }

    static func session(_ number: Int) -> SessionID {
        SessionID(high: 9, low: 1 << 63 | UInt64(number))
    }

    static func frame(_ number: UInt32) -> PushedFrame {
        var payload: [UInt8] = []
        let kind = FramePayload.encode(.marker("marker \(number)"), to: &payload)
        return PushedFrame(
            header: FrameHeader(
                kind: kind, sequence: FrameSequence(rawValue: number),
                deviceTime: WallClock.now()), payload: payload)
    }

    /// The number of copies of each frame in the closed log.
    func frames() throws -> [SessionID: [UInt32: Int]] {
        var frames: [SessionID: [UInt32: Int]] = [:]
        try LogReader(disk: disk).read(from: RecordOffset(rawValue: 0)) { header, _ in
            if case .frame = header.type {
                frames[header.session, default: [:]][header.sequence.rawValue, default: 0] += 1
            }
            return true
        }
        return frames
    }
}
