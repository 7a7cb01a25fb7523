import MutatedBytes
import SensorModel
import Testing

@testable import Recordings

/// Mutated bytes: each answer is a documented one, and nothing traps.
@Suite struct MutationTests {
    private static func isOrdered(_ frames: [Frame]) -> Bool {
        zip(frames, frames.dropFirst()).allSatisfy { $0.deviceTime <= $1.deviceTime }
    }

    @Test(arguments: ExportFormat.allCases.filter { $0 != .mcap })
    func `A mutated file is played or refused in a sentence`(format: ExportFormat) throws {
        let bytes = try SampleRun(seconds: 4).export(format)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<Mutation.count {
            let mutant = Mutation.mutant(of: bytes, using: &generator)
            do throws(RecordingError) {
                let recording = try Recording.read(
                    name: "a.\(format.fileExtension)", contents: .file(mutant))
                guard recording.frames.isEmpty || !Self.isOrdered(recording.frames) else {
                    continue
                }
            } catch {
                guard !error.description.hasSuffix(".") else { continue }
            }
            Issue.record("\(format): \(mutant)")
            return
        }
    }

    @Test func `A mutated neutral folder is played or refused`() {
        let imu = (0..<50).map { "0.\($0 + 10),0.1,0.2,0.98,1,2,3\n" }.joined()
        let files = [
            "imu.csv": "t_s,ax,ay,az,gx,gy,gz\n" + imu,
            "gps.csv":
                "t_s,lat,lon,alt,hacc,speed,course\n0,48.1,11.5,500,4,3,90\n1,48.1,11.5,,,,\n",
            "hr.csv": "t_s,bpm\n0,120\n1,121\n",
        ]
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<Mutation.count {
            let mutants = files.mapValues {
                Mutation.mutant(of: Array($0.utf8), using: &generator)
            }
            let recording = try? Recording.read(name: "run", contents: .folder(mutants))
            // A refusal is complete, so nothing else remains to check.
            #expect(recording?.frames.isEmpty != true)
        }
    }
}
