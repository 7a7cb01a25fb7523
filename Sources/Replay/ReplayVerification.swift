import Processing
public import SegmentLog
public import SensorModel
public import Sessions
import WireFormat

/// Recomputes a recorded session from its raw frames and compares every event with the record.
///
/// The comparison is byte for byte, or shows the changes by another profile or version.
public struct ReplayVerification {
    /// One event that differs.
    public struct Difference: Hashable, Sendable {
        /// Offset of the recorded event; `nil` for an extra computed one.
        public var offset: RecordOffset?
        /// The computed event; `nil` if the computation lacks the recorded one.
        public var computed: StreamEvent?
        public var recorded: StreamEvent?
    }

    public private(set) var frames = 0
    public private(set) var events = 0
    /// At most ``differencesMax`` when verifying; ``differenceCount`` counts all.
    public private(set) var differences: [Difference] = []
    public private(set) var differenceCount = 0
    /// The version that computed the record, if it is another one.
    public private(set) var otherVersion: UInt16?
    /// Events of the last frames that are not in the log yet: the session is live, or a crash ended
    /// it and it was not continued.
    public private(set) var unrecorded = 0

    public static let differencesMax = 20
    private static let algorithmVersion = SessionPipeline.algorithmVersion

    /// Computed events without a matching record so far, oldest first.
    private var expected: [StreamEvent] = []
    private var expectedStart = 0
    /// Changes a recorded profile; `nil`: verify.
    private let change: ((RunnerProfile) -> RunnerProfile)?
    private var pairing = EventPairing()
    private var computation: SessionComputation?
    private var failure: SessionReadError?
    private var computedBytes: [UInt8] = []

    private init(change: ((RunnerProfile) -> RunnerProfile)?) {
        self.change = change
    }

    /// - Parameters:
    ///   - session: A session in the log.
    ///   - reader: The reader of the log; its snapshots are not used.
    ///   - change: Changes each recorded profile, to show the effect. Every difference is then
    ///     kept, paired by time. `nil`: verify.
    ///   - progress: Receives the number of records read so far, and of all records.
    /// - Returns: The number of events compared, and the differences.
    /// - Throws: ``SessionReadError``
    public static func run(
        _ session: SessionID, reader: LogReader,
        change: ((RunnerProfile) -> RunnerProfile)? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(SessionReadError) -> ReplayVerification {
        guard let summary = reader.summary(of: session) else {
            throw .unknownSession(session)
        }
        var verification = ReplayVerification(change: change)
        var records = 0
        do throws(SegmentLogError) {
            try reader.read(summary) { header, payload in
                records += 1
                if records % 4096 == 0 { progress(records, summary.records) }
                do throws(SessionReadError) {
                    try verification.take(header, payload)
                    return true
                } catch {
                    verification.failure = error
                    return false
                }
            }
        } catch { throw .log(error) }
        if let failure = verification.failure { throw failure }
        if change != nil { verification.pair() }
        verification.unrecorded = verification.expected.count - verification.expectedStart
        verification.expected = []
        return verification
    }

    private mutating func take(
        _ header: RecordHeader, _ payload: Span<UInt8>
    ) throws(SessionReadError) {
        var record = try SessionRecord.read(header, payload)
        switch record {
        case .snapshot, .course, .tick: break
        case .event(let event) where change != nil:
            pairing.add(recorded: event, at: header.offset)
        case .event(let event): compare(event, payload, at: header.offset)
        case .head(var head):
            if head.algorithmVersion != Self.algorithmVersion {
                otherVersion = head.algorithmVersion
            }
            head.profile = change?(head.profile) ?? head.profile
            record = .head(head)
        case .frame:
            frames += 1
            guard computation != nil else { throw .headMissing(header.offset) }
        }
        try computation.apply(record, of: header, payload: payload, into: &expected)
    }

    private mutating func compare(
        _ recorded: StreamEvent, _ payload: Span<UInt8>, at offset: RecordOffset
    ) {
        events += 1
        guard expectedStart < expected.count else {
            return differ(Difference(offset: offset, computed: nil, recorded: recorded))
        }
        let computed = expected[expectedStart]
        expectedStart += 1
        if expectedStart == expected.count {
            expected.removeAll(keepingCapacity: true)
            expectedStart = 0
        }
        computedBytes.removeAll(keepingCapacity: true)
        StreamEventCodec.encode(computed, to: &computedBytes)
        let same =
            computedBytes.count == payload.count
            && computedBytes.indices.allSatisfy { computedBytes[$0] == payload[$0] }
        if !same {
            differ(Difference(offset: offset, computed: computed, recorded: recorded))
        }
    }

    private mutating func pair() {
        pairing.add(computed: expected)
        expected = []
        events = pairing.recordedCount
        differences = pairing.differences()
        differenceCount = differences.count
    }

    private mutating func differ(_ difference: Difference) {
        differenceCount += 1
        if differences.count < Self.differencesMax {
            differences.append(difference)
        }
    }
}
