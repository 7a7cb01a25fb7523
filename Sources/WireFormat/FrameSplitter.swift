public import SensorModel

/// Splits the bytes of a TCP connection into whole frames.
///
/// The first four bytes decide: `PLS1` selects binary frames, anything else text lines. A frame
/// inside one chunk is passed on without a copy. Only an incomplete frame at the end of a chunk is
/// copied and kept for the next chunk.
public struct FrameSplitter: Sendable {
    public enum Form: Sendable {
        /// A whole binary frame, its length field included.
        case binary
        /// A line without its line feed; it may be blank or hold any bytes.
        case text
    }

    /// The form; `nil` until it is decided, after at most four bytes.
    public private(set) var form: Form?
    /// Bytes not passed on yet: part of a frame, or frames that `body` refused.
    private var pending: [UInt8] = []
    /// Bytes at the start of `pending` that are already passed on.
    private var consumedBytes = 0
    /// Bytes after `consumedBytes` without a line feed. They are not searched again when a line
    /// arrives byte by byte.
    private var searchedBytes = 0

    private let lineBytesMax: Int

    /// - Parameter lineBytesMax: Limit of a line; longer lines are refused.
    public init(lineBytesMax: Int = Limits.textLineBytesMax) {
        self.lineBytesMax = lineBytesMax
    }

    /// Bytes kept for the next call. They exceed one frame only after `body` refused one.
    public var pendingBytes: Int { pending.count - consumedBytes }

    /// Whether the last bytes look like a whole line without its line feed. A peer that ends there
    /// has sent everything; one that ends inside an object was cut off.
    public var endsInWholeText: Bool {
        form == .text && (pending.last == UInt8(ascii: "}") || pending.last == UInt8(ascii: "]"))
    }

    /// - Parameters:
    ///   - chunk: Received bytes; empty to continue after `body` had no space.
    ///   - body: Receives a frame; `false` means "no space, pass this frame again later".
    /// - Returns: `false` when `body` refused a frame; that frame and all after it are kept.
    /// - Throws: A ``FrameRefusal`` that ``FrameRefusal/closes`` the connection.
    @discardableResult
    public mutating func split(
        _ chunk: Span<UInt8>, _ body: (Form, Span<UInt8>) -> Bool
    ) throws(FrameRefusal) -> Bool {
        var position = 0
        if form == nil { position = decideForm(chunk) }
        guard let form else { return true }
        guard try drainPending(form, body) else {
            keep(chunk, from: position)
            return false
        }
        if pendingBytes > 0 {
            guard try completePending(form, chunk, &position, body) else {
                keep(chunk, from: position)
                return false
            }
            guard pendingBytes == 0 else { return true }
        }
        let rest = try frames(form, in: chunk, from: &position, body)
        keep(chunk, from: position)
        if rest == .partial, form == .text { searchedBytes = pendingBytes }
        return rest == .partial
    }

    /// The reason why a pass over bytes ended.
    private enum Rest {
        /// The remaining bytes are less than a frame.
        case partial
        /// `body` had no space for the next frame.
        case refused
    }

    /// Passes on every whole frame of `bytes` from `position` on, and moves `position` past them.
    private func frames(
        _ form: Form, in bytes: Span<UInt8>, from position: inout Int, searched: Int = 0,
        _ body: (Form, Span<UInt8>) -> Bool
    ) throws(FrameRefusal) -> Rest {
        var searched = searched
        while true {
            let rest = bytes.extracting(position..<bytes.count)
            switch form {
            case .binary:
                guard let count = try BinaryFrame.byteCount(at: rest), count <= rest.count else {
                    return .partial
                }
                guard body(.binary, rest.extracting(0..<count)) else { return .refused }
                position += count
            case .text:
                guard let end = LineSearch.lineFeed(in: rest, from: searched) else {
                    guard rest.count <= lineBytesMax else { throw .lineTooLong }
                    return .partial
                }
                searched = 0
                guard end <= lineBytesMax else { throw .lineTooLong }
                guard end == 0 || body(.text, rest.extracting(0..<end)) else { return .refused }
                position += end + 1
            }
        }
    }

    /// Collects the first four bytes, or fewer once they differ from the preamble.
    ///
    /// - Returns: The number of bytes consumed from `chunk`.
    private mutating func decideForm(_ chunk: Span<UInt8>) -> Int {
        var position = 0
        while position < chunk.count {
            let byte = chunk[position]
            let expected = BinaryFrame.preamble[pending.count]
            pending.append(byte)
            position += 1
            guard byte == expected else {
                form = .text
                return position
            }
            if pending.count == BinaryFrame.preamble.count {
                pending.removeAll(keepingCapacity: true)
                form = .binary
                return position
            }
        }
        return position
    }

    private mutating func drainPending(
        _ form: Form, _ body: (Form, Span<UInt8>) -> Bool
    ) throws(FrameRefusal) -> Bool {
        guard pendingBytes > 0 else { return true }
        var position = consumedBytes
        let rest = try frames(
            form, in: pending.span, from: &position, searched: searchedBytes, body)
        consumedBytes = position
        searchedBytes = rest == .partial && form == .text ? pendingBytes : 0
        compact()
        return rest == .partial
    }

    /// Copies just enough of `chunk` to complete the first pending frame, and passes it on.
    private mutating func completePending(
        _ form: Form, _ chunk: Span<UInt8>, _ position: inout Int,
        _ body: (Form, Span<UInt8>) -> Bool
    ) throws(FrameRefusal) -> Bool {
        compact()
        while position < chunk.count {
            let missing: Int
            switch form {
            case .binary:
                let count = try BinaryFrame.byteCount(at: pending.span)
                missing = (count ?? 2) - pending.count
            case .text:
                let end = LineSearch.lineFeed(in: chunk, from: position)
                missing = end.map { $0 + 1 - position } ?? (chunk.count - position)
            }
            let taken = min(missing, chunk.count - position)
            append(chunk, from: position, count: taken)
            position += taken
            guard try drainPending(form, body) else { return false }
            if pendingBytes == 0 { return true }
        }
        return true
    }

    private mutating func keep(_ chunk: Span<UInt8>, from position: Int) {
        append(chunk, from: position, count: chunk.count - position)
    }

    private mutating func append(_ chunk: Span<UInt8>, from position: Int, count: Int) {
        pending.reserveCapacity(pending.count + count)
        for index in position..<(position + count) { pending.append(chunk[index]) }
    }

    private mutating func compact() {
        guard consumedBytes > 0 else { return }
        pending.removeSubrange(0..<consumedBytes)
        consumedBytes = 0
    }
}
