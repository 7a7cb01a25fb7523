import Registry
import SensorModel
import Testing

@Suite struct SessionNoteTests {
    private static func session(_ number: Int) -> SessionID {
        SessionID(high: UInt64(number), low: .max)
    }

    @Test func `Notes read back, are replaced, and an empty one is none`() throws {
        let scratch = try Scratch()
        let (one, two) = (try scratch.addDevice("one").id, try scratch.addDevice("two", hash: 2).id)
        let notes = (0..<1200).map { number in
            SessionNote(
                name: number % 3 == 0 ? nil : "Run \(number)", text: number % 5 == 0 ? nil : "wet",
                exertion: number % 7 == 0 ? nil : number % 10 + 1)
        }
        for (number, note) in notes.enumerated() {
            let device = number % 2 == 0 ? one : two
            try scratch.store.setNote(note, of: Self.session(number), of: device)
        }
        let sessions = (0..<1200).map(Self.session)
        let found = try scratch.store.notes(of: sessions + [Self.session(5000)])
        let expected = notes.enumerated().filter { !$0.element.isEmpty }
        #expect(found.count == expected.count && expected.count < notes.count)
        for (number, note) in expected { #expect(found[Self.session(number)] == note) }
        let exertions = try scratch.store.exertions(of: two)
        #expect(exertions.count == (0..<1200).count { $0 % 2 == 1 && $0 % 7 != 0 })
        #expect(exertions[Self.session(1)] == 2)
        try scratch.store.setNote(SessionNote(name: "Other"), of: Self.session(1), of: two)
        #expect(
            try scratch.store.notes(of: [Self.session(1)]) == [
                Self.session(1): SessionNote(name: "Other")
            ])
        try scratch.store.setNote(SessionNote(), of: Self.session(1), of: two)
        #expect(try scratch.store.notes(of: [Self.session(1)]).isEmpty)
        #expect(throws: RegistryError.self) {
            try scratch.store.setNote(
                SessionNote(name: "x"), of: Self.session(1), of: DeviceID(rawValue: 99))
        }
    }

    @Test func `Notes go with their session, and with their device`() throws {
        let scratch = try Scratch()
        let device = try scratch.addDevice("one").id
        for number in 0..<3 {
            try scratch.store.setNote(
                SessionNote(text: "by the lake"), of: Self.session(number), of: device)
        }
        try scratch.store.deleteResults(of: [Self.session(0)])
        #expect(try scratch.store.notedSessions().count == 3)
        try scratch.store.deleteSessions([Self.session(0), Self.session(7)])
        #expect(try Set(scratch.store.notedSessions()) == [Self.session(1), Self.session(2)])
        try scratch.store.deleteDevice(device)
        #expect(try scratch.store.notedSessions().isEmpty)
    }

    @Test func `A device's notes take no more than their share, and a change of one needs no more`()
        throws
    {
        let scratch = try Scratch()
        let (one, two) = (try scratch.addDevice("one").id, try scratch.addDevice("two", hash: 2).id)
        let long = SessionNote(text: String(repeating: "가", count: 1365))
        let count = SessionNote.bytesOfDeviceMax / long.bytes
        for number in 0..<count {
            try scratch.store.setNote(long, of: Self.session(number), of: one)
        }
        let full = RegistryError.notesFull(bytes: SessionNote.bytesOfDeviceMax)
        #expect(throws: full) {
            try scratch.store.setNote(long, of: Self.session(count), of: one)
        }
        try scratch.store.setNote(long, of: Self.session(0), of: one)
        try scratch.store.setNote(long, of: Self.session(count), of: two)
        #expect(try scratch.store.notedSessions().count == count + 1)
    }
}
