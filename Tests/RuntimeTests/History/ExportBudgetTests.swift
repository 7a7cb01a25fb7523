import SensorModel
import Testing

@testable import Runtime

@Suite struct ExportBudgetTests {
    private static func device(_ number: Int) -> DeviceID { DeviceID(rawValue: UInt32(number)) }

    @Test func `Exports of one device leave room for the others, and give it back`() throws {
        let budget = ExportBudget()
        do {
            var held: [ExportBudget.Reservation] = []
            for _ in 0..<ExportBudget.deviceCountMax {
                let export = try budget.begin(Self.device(1))
                #expect(export.take(8 << 20) == nil)
                held.append(export)
            }
            #expect(throws: ReadRefusal.tooMany) { try budget.begin(Self.device(1)) }
            #expect(budget.bytes == ExportBudget.deviceBytesMax)
            let other = try budget.begin(Self.device(2))
            #expect(other.take(8 << 20) == nil)
        }
        #expect(budget.bytes == 0)
        _ = try budget.begin(Self.device(1))
    }

    @Test func `Archives are counted apart, so that each finds an export for its sessions`() throws
    {
        let budget = ExportBudget()
        do {
            let archives = try (0..<ExportBudget.deviceArchivesMax).map { _ in
                try budget.begin(Self.device(1), isArchive: true)
            }
            #expect(throws: ReadRefusal.tooMany) {
                try budget.begin(Self.device(1), isArchive: true)
            }
            let exports = try (0..<ExportBudget.deviceCountMax).map { _ in
                try budget.begin(Self.device(1))
            }
            #expect(archives[0].take(1 << 20) == nil && exports[0].take(1 << 20) == nil)
            #expect(budget.bytes == 2 << 20)
        }
        #expect(budget.bytes == 0)
        _ = try budget.begin(Self.device(1), isArchive: true)
    }

    @Test func `What is refused changes nothing, and says whose fault it is`() throws {
        let budget = ExportBudget()
        let export = try budget.begin(Self.device(1))
        #expect(export.take(1) == nil)
        let before = budget.bytes
        #expect(export.take(ExportBudget.deviceBytesMax + 1) == .tooLong)
        #expect(budget.bytes == before)
        #expect(export.take(ExportBudget.deviceBytesMax) == nil)
        let other = try budget.begin(Self.device(2))
        #expect(other.take(ExportBudget.deviceBytesMax) == .busy)
        #expect(export.take(0) == nil)
        #expect(other.take(ExportBudget.deviceBytesMax) == nil)
    }
}
