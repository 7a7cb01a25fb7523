import Foundation
import Glibc
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import SensorModel
import Sharing
import Synchronization
import Testing
import Transport
import WireFormat

@testable import Client

@Suite(.serialized) struct ClientTests {
    static let hello = Hello(
        token: "good", session: SessionID(high: 7, low: 9), sentAt: 1_763_700_000,
        sentAtText: "1763700000")

    static func frame(_ number: UInt32) -> Frame {
        Frame(
            sequence: FrameSequence(rawValue: number), deviceTime: FakeDaemon.clock,
            payload: .control(.lap))
    }

    enum Door: String, CaseIterable {
        case tcp
        case ws
    }

    @Test(arguments: [
        (true, [UInt8](repeating: 0, count: 100), ClientError.notAnAnswer),
        (false, [UInt8](repeating: 0x20, count: 70_000), .answerTooLarge(bytesMax: 65_536)),
    ])
    func `A server that is no daemon ends the connection`(
        isBinary: Bool, bytes: [UInt8], expected: ClientError
    ) {
        var splitter = AnswerSplitter(isBinary: isBinary)
        var found: ClientError?
        do throws(ClientError) { _ = try splitter.answers(in: .bytes(bytes)) } catch {
            found = error
        }
        #expect(found == expected)
    }

    @Test func `A server that announces an answer for ever is given up`() async throws {
        let (parts, continuation) = AsyncThrowingStream.makeStream(of: HTTPClient.Part.self)
        let channel = EmbeddedChannel()
        try HTTPClient.addHandlers(to: channel.pipeline.syncOperations, continuation)
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/hook")).get()
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/hook")
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        let interim = ByteBuffer(
            string: String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1000))
        var written = 0
        while channel.isActive, written < 100 {
            // The error arrives through the stream.
            _ = try? channel.writeInbound(interim)
            written += 1
        }
        #expect(written == 10)
        await #expect(throws: ClientError.answerTooLarge(bytesMax: 262_144)) {
            for try await _ in parts {}
        }
    }

    @Test(arguments: Door.allCases, [DeviceFormat.binary, .text])
    func `A device client is welcomed and acknowledged`(
        door: Door, format: DeviceFormat
    ) async throws {
        try await withServer { daemon, device, http in
            let address = try ServerAddress(
                door == .tcp ? "tcp://\(device)" : "ws://\(http)/v1/device")
            let client = try await DeviceClient.connect(to: address, format: format)
            try await client.send(Self.hello)
            var answers = client.answers.makeAsyncIterator()
            #expect(try await answers.next() == .welcome(acked: .none, share: nil))
            if format == .binary {
                try await client.send((1...3).map(Self.frame))
            } else {
                for number in 1...3 {
                    let text = DeviceSocketTests.heartRate(number).dropLast()
                    try await client.send(text: Array(text.utf8))
                }
            }
            while let answer = try await answers.next() {
                if answer == .ack(FrameSequence(rawValue: 3)) { break }
            }
            #expect(daemon.now.frames.count == 3)
            #expect(daemon.now.openings.first?.format == format)
            await client.close()
        }
    }

    @Test func `A refused upgrade has its status, a refused hello its code`() async throws {
        try await withServer { _, _, http in
            let address = try ServerAddress("ws://\(http)/v1/device")
            await #expect(throws: ClientError.upgradeRefused(status: 401)) {
                _ = try await DeviceClient.connect(to: address, bearerToken: "bad")
            }
            let client = try await DeviceClient.connect(to: address)
            var hello = Self.hello
            hello.token = "bad"
            try await client.send(hello)
            var answers = client.answers.makeAsyncIterator()
            let error = DeviceAnswer.error(code: 4003, reason: CloseCode.tokenRefused.reason)
            #expect(try await answers.next() == error)
            await #expect(throws: ClientError.closed(code: 4003)) {
                _ = try await answers.next()
            }
        }
    }

    @Test func `A viewer client reads events until the share ends`() async throws {
        try await withServer { daemon, _, http in
            let address = try ServerAddress("ws://\(http)/v1/shares/known/live")
            let client = try await ViewerClient.connect(to: address)
            var events = client.events.makeAsyncIterator()
            #expect(try await events.next()?.contains("snapshot") == true)
            try await client.say("{\"live\":true}")
            await eventually("said") { daemon.now.said == ["{\"live\":true}"] }
            daemon.push(.feedEnded(FeedKey(FakeDaemon.share), .shareEnded))
            await #expect(throws: ClientError.closed(code: 4010)) { _ = try await events.next() }
        }
    }

    @Test func `The HTTP client reads lengths and chunks`() async throws {
        try await withServer { _, _, http in
            let client = HTTPClient(try ServerAddress("http://\(http)"))
            let size = try await client.send(.post, "/size", body: [1, 2, 3])
            #expect(size.status == 200 && size.body == Array("3".utf8))
            let long = try await client.send(.get, "/long")
            #expect(String(decoding: long.body, as: UTF8.self) == HTTPServerTests.parts)
            #expect(try await client.send(.get, "/none").status == 404)
        }
    }

    @Test func `The HTTP client leaves a server that takes a request and never answers`()
        async throws
    {
        let silent = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(silent.localAddress?.port)
        let client = HTTPClient(
            try ServerAddress("http://127.0.0.1:\(port)"), silenceSecondsMax: 1)
        await #expect(throws: ClientError.silent(seconds: 1)) {
            _ = try await client.send(.post, "/v1/me/import", body: [1, 2, 3])
        }
        try await silent.close()
    }

    @Test func `Nobody there is said in a sentence`() async throws {
        let address = try ServerAddress("http://127.0.0.1:1")
        do {
            _ = try await HTTPClient(address).send(.get, "/")
            Issue.record("connected")
        } catch {
            #expect("\(error)".hasPrefix("cannot connect to http://127.0.0.1:1: "))
        }
    }
}
