import SensorModel

/// Fields of other writers' FIT files that no frame of ours holds, so that an export returns them.
struct FITForeignMessages {
    /// Messages without a time or a period: devices, settings, developer fields.
    private(set) var head: [FITRemainder] = []
    /// Laps, sessions and activities.
    private(set) var summaries: [FITRemainder] = []
    /// Fields of records, with their times.
    private var records: [(time: UInt32, fields: FITRemainder)] = []
    /// Other messages with a time; beats have none and follow messages of the time before them.
    private var others: [Other] = []
    private var nextRecord = 0
    private var nextOther = 0
    private var developers: Set<UInt8> = []
    /// Developer and number of each described field.
    private var described: Set<[UInt8]> = []

    private struct Other {
        var time: UInt32
        var isTimed = true
        var message: FITRemainder
    }

    init(_ foreign: [RecordedSession.ForeignMoment]) {
        for moment in foreign where moment.messages.format == .fit {
            var newest = FITProfile.seconds(moment.time)
            for message in FITRemainders.messages(in: moment.messages) {
                if let seconds = message.integer(FITProfile.timestamp) {
                    newest = UInt32(clamping: seconds)
                }
                take(message, at: newest)
            }
        }
        records = Self.inOrder(records) { $0.time }
        others = Self.inOrder(others) { $0.time }
    }

    private mutating func take(_ message: FITMessage, at time: UInt32) {
        let fields = FITRemainder(message)
        guard !fields.fields.isEmpty else { return }
        switch message.number {
        case FITProfile.fileID: break
        case FITProfile.record:
            if message.number(FITProfile.timestamp) != nil { records.append((time, fields)) }
        case FITProfile.lap, FITProfile.session, FITProfile.activity: summaries.append(fields)
        case FITProfile.developerDataID:
            guard let developer = message.integer(3) else { return }
            developers.insert(UInt8(clamping: developer))
            head.append(fields)
        case FITProfile.fieldDescription:
            guard let developer = message.integer(0), let number = message.integer(1) else {
                return
            }
            described.insert([UInt8(clamping: developer), UInt8(clamping: number)])
            head.append(fields)
        case FITProfile.hrv:
            others.append(Other(time: time, isTimed: false, message: fields))
        default:
            if message.number(FITProfile.timestamp) == nil {
                head.append(fields)
            } else {
                others.append(Other(time: time, message: fields))
            }
        }
    }

    /// Sorts by time; equal times keep their order.
    private static func inOrder<Item>(_ items: [Item], by time: (Item) -> UInt32) -> [Item] {
        items.indices.sorted { (time(items[$0]), $0) < (time(items[$1]), $1) }.map { items[$0] }
    }

    /// The sport of the file that a session came from; `nil` if there was no such file.
    static func sport(in foreign: [RecordedSession.ForeignMoment]) -> String? {
        for moment in foreign.reversed() where moment.messages.format == .fit {
            for message in FITRemainders.messages(in: moment.messages)
            where message.number == FITProfile.session {
                if let sport = message.integer(5) { return FITProfile.sports[sport] }
            }
        }
        return nil
    }

    /// A number that no other developer has, for our own.
    var freeDeveloper: UInt8 { (0...UInt8.max).first { !developers.contains($0) } ?? .max }

    /// Returns whether the messages to return include one of this kind.
    func hasSummary(_ number: UInt16) -> Bool { summaries.contains { $0.number == number } }

    /// A message that comes before a record.
    enum Earlier {
        case message(FITRemainder)
        /// Fields of a record that has no position, heart rate or sensor's value.
        case record(time: UInt32, FITRemainder)
    }

    /// - Parameter time: Time of the next record; `nil` if there is none.
    /// - Returns: The next message before that record, in order of time.
    mutating func next(before time: UInt32?) -> Earlier? {
        let record = nextRecord < records.count ? records[nextRecord].time : nil
        if nextOther < others.count {
            let other = others[nextOther]
            let place = other.isTimed ? other.time : other.time &+ 1
            if time.map({ place <= $0 }) ?? true, record.map({ place <= $0 }) ?? true {
                nextOther += 1
                return .message(other.message)
            }
        }
        guard let record, time.map({ record < $0 }) ?? true else { return nil }
        nextRecord += 1
        return .record(time: record, records[nextRecord - 1].fields)
    }

    /// Returns the fields of a record of that time, once. Returns `nil` also if a field has our own
    /// value: they belong to another record of the same second, which is written separately.
    mutating func record(at time: UInt32, beside own: [FITField]) -> FITRemainder? {
        guard nextRecord < records.count, records[nextRecord].time == time else { return nil }
        let fields = records[nextRecord].fields
        let taken = Set(own.filter { $0.value != nil }.map(\.number))
        let isOther = fields.fields.contains { field in
            !field.isDeveloper && field.number != FITProfile.timestamp
                && taken.contains(field.number)
        }
        if isOther { return nil }
        nextRecord += 1
        return fields
    }

    /// - Parameters:
    ///   - own: Our own fields.
    ///   - foreign: Another writer's fields in the same message.
    ///   - replaced: Numbers of our own fields that take precedence if both have a value.
    /// - Returns: The fields of both, and the described developer fields.
    func joined(
        _ own: [FITField], _ foreign: FITRemainder?, replaced: Set<UInt8>? = nil
    ) -> (fields: [FITField], developerFields: [FITField]) {
        guard let foreign else { return (own, []) }
        let ordinary = foreign.fields.filter { !$0.isDeveloper }
        let theirs = Set(ordinary.map(\.number))
        let kept = own.filter { field in
            guard theirs.contains(field.number) else { return true }
            let counts = replaced?.contains(field.number) ?? true
            return counts && (field.value != nil || !field.array.isEmpty)
        }
        let ours = Set(kept.map(\.number))
        let added = ordinary.filter { !ours.contains($0.number) }.prefix(255 - kept.count)
        let developed = foreign.fields.filter {
            $0.isDeveloper && described.contains([$0.typeByte, $0.number])
        }
        return (kept + added.map { FITField($0) }, developed.prefix(128).map { FITField($0) })
    }
}
