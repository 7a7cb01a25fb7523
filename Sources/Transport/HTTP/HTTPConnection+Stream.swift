import NIOCore
import SensorModel

/// Bodies that are written while they are produced.
extension HTTPConnection {
    func head(of response: HTTPResponse, framing: HTTPResponse.Framing?) -> [UInt8] {
        var response = response
        // A 1.0 client must be told that the connection is kept.
        if isHTTP10, keepsAlive { response.fields["Connection"] = "keep-alive" }
        return response.encodeHead(
            framing: framing, keepsAlive: keepsAlive,
            date: HTTPDate.text(loop.arrivalClock().microseconds / 1_000_000),
            defaults: service.securityHeaders)
    }

    func write(_ bytes: [UInt8]) {
        guard let context else { return }
        send(context.channel.allocator.buffer(bytes: bytes), to: context.channel)
    }

    func stream(
        _ produce: @escaping @Sendable (HTTPBodyWriter) async throws -> Void
    ) {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: loop.eventLoop), loop.eventLoop)
        let writer = HTTPBodyWriter { bytes async throws(HTTPBodyError) in
            do {
                try await eventLoop.flatSubmit { bound.value.writeChunk(bytes) }.get()
            } catch {
                throw .readerGone
            }
        }
        stage = .answering(
            Task {
                do {
                    try await produce(writer)
                    eventLoop.execute { bound.value.endStream() }
                } catch {
                    // The status is already sent: only a cut connection can show that the body is
                    // incomplete.
                    eventLoop.execute { bound.value.abort() }
                }
            })
    }

    private func writeChunk(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
        guard let context, case .answering = stage else {
            return loop.eventLoop.makeFailedFuture(HTTPBodyError.readerGone)
        }
        var wire = bytes
        if !isHTTP10 {
            wire = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes
            wire += [13, 10]
        }
        let buffer = context.channel.allocator.buffer(bytes: wire)
        limitWriting(bytes: wire.count)
        let written = send(buffer, to: context.channel)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        written.whenSuccess { bound.value.stopLimitingWriting() }
        return written
    }

    /// Writes a buffer and counts it as held memory until the peer has taken it.
    @discardableResult
    func send(_ buffer: ByteBuffer, to channel: any Channel) -> EventLoopFuture<Void> {
        let count = buffer.readableBytes
        let isAllowed = ticket.changeOwed(by: count)
        let written = records == nil ? channel.writeAndFlush(buffer) : flush(buffer, to: channel)
        written.assumeIsolated().whenComplete { [ticket] _ in _ = ticket.changeOwed(by: -count) }
        if !isAllowed { channel.drop() }
        return written
    }

    /// Writes in pieces, since the TLS library keeps a buffer of the longest piece's size until the
    /// connection ends: with whole answers of 800 KB, 600 connections held 500 MB.
    private func flush(_ buffer: ByteBuffer, to channel: any Channel) -> EventLoopFuture<Void> {
        var rest = buffer
        while rest.readableBytes > Self.pieceBytes,
            let piece = rest.readSlice(length: Self.pieceBytes)
        {
            channel.writeAndFlush(piece, promise: nil)
        }
        return channel.writeAndFlush(rest)
    }

    /// Bytes of a piece; with the overhead of a TLS record they are less than 8 KiB.
    private static let pieceBytes = 8000

    private func endStream() {
        guard case .answering = stage else { return }
        if !isHTTP10 { write(Array("0\r\n\r\n".utf8)) }
        finishAnswer()
    }
}
