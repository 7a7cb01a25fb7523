import SensorModel
import Testing
import WireFormat

/// The result of decoding one line or message as text.
struct TextResult: Hashable {
    enum Item: Hashable {
        case frame(Frame, heartRateDropped: Bool)
        case hello(Hello)
        case refused(String, sequence: UInt32)
    }

    var items: [Item] = []

    init(_ text: String, _ decoder: inout TextDecoder, recorded: Bool = false) {
        self.init(Array(text.utf8), &decoder, recorded: recorded)
    }

    init(_ text: String, recorded: Bool = false) {
        var decoder = TextDecoder()
        self.init(text, &decoder, recorded: recorded)
    }

    init(_ bytes: [UInt8], _ decoder: inout TextDecoder, recorded: Bool = false) {
        var payload: [UInt8] = []
        decoder.begin()
        while true {
            do {
                let next = try decoder.next(
                    in: bytes.span, payload: &payload, arrivalTime: BinaryFrameTests.arrival,
                    recorded: recorded)
                guard let next else { return }
                switch next {
                case .hello(let hello): items.append(.hello(hello))
                case .frame(let header, let dropped): add(header, payload, dropped)
                }
            } catch {
                items.append(
                    .refused(error.refusal.code, sequence: error.sequence.rawValue))
            }
        }
    }

    private mutating func add(_ header: FrameHeader, _ payload: [UInt8], _ dropped: Bool) {
        do {
            // A frame that the text decoder accepts is also valid in the binary form.
            try FrameValidation.check(
                header, payload: payload.span, arrivalTime: BinaryFrameTests.arrival,
                recorded: true)
            items.append(
                .frame(
                    try FramePayload.decode(header, payload: payload.span),
                    heartRateDropped: dropped))
        } catch {
            Issue.record("accepted, but \(error)")
        }
    }

    var payload: Frame.Payload? {
        guard items.count == 1, case .frame(let frame, _) = items[0] else { return nil }
        return frame.payload
    }

    /// The code of the only refusal; `nil` for anything else.
    var refusal: String? {
        guard items.count == 1, case .refused(let code, _) = items[0] else { return nil }
        return code
    }
}
