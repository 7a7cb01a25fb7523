import Processing
import SegmentLog
import SensorModel

/// A frame, tick, profile or course of a session, kept until the session is rebuilt.
struct RecordedInput {
    enum Kind {
        case frame(FrameHeader, payload: [UInt8])
        case tick(SessionTick, deviceTime: Timestamp)
        case profile(RunnerProfile, deviceTime: Timestamp)
        case course(CourseRoute?, deviceTime: Timestamp)
    }

    let kind: Kind
    let arrival: Timestamp
    /// Offset of its record in the log.
    let offset: RecordOffset

    /// Bytes of memory of an input with a payload.
    static func bytes(payload: Int) -> Int { 96 + payload }

    var bytes: Int {
        switch kind {
        case .frame(_, let payload): Self.bytes(payload: payload.count)
        case .tick, .course: Self.bytes(payload: 0)
        case .profile: Self.bytes(payload: 1024)
        }
    }
}

/// The inputs that wait until their session is rebuilt.
///
/// All of them are in the log. If they exceed the bound, they are given up and read from there.
package struct SessionBacklog {
    /// Maximum bytes of one session: half a minute of a watch at 100 samples a second, or hours of
    /// a phone. These frames are computed within a few milliseconds.
    package static let bytesMax = 32 << 10
    /// Maximum bytes of all sessions together.
    package static let allBytesMax = 16 << 20

    private var inputs: ArraySlice<RecordedInput> = []
    package private(set) var bytes = 0
    /// Offset of the first input that was given up; later ones are not kept. `nil`: all are here.
    private(set) var givenUpFrom: RecordOffset?

    package var isEmpty: Bool { inputs.isEmpty }

    mutating func append(_ input: RecordedInput) {
        inputs.append(input)
        bytes += input.bytes
    }

    mutating func popFirst() -> RecordedInput? {
        guard let input = inputs.popFirst() else { return nil }
        bytes -= input.bytes
        if inputs.isEmpty { inputs = [] }
        return input
    }

    /// Gives up all inputs, including those that follow.
    ///
    /// - Parameter next: Offset of the input that has no room.
    mutating func giveUp(before next: RecordOffset) {
        let first = inputs.first?.offset ?? next
        self = SessionBacklog()
        givenUpFrom = first
    }
}
