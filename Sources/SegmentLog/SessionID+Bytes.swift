import SensorModel

extension SessionID {
    /// Stores the 16 bytes of the UUID, most significant first, as in its text form.
    func encode(into bytes: inout MutableSpan<UInt8>, at position: Int) {
        LittleEndian.store(high.byteSwapped, in: &bytes, at: position)
        LittleEndian.store(low.byteSwapped, in: &bytes, at: position + 8)
    }

    init(decoding bytes: Span<UInt8>, at position: Int) {
        self.init(
            high: LittleEndian.load(UInt64.self, from: bytes, at: position).byteSwapped,
            low: LittleEndian.load(UInt64.self, from: bytes, at: position + 8).byteSwapped)
    }
}
