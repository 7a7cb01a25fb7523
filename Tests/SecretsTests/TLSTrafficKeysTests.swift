import Bytes
import Secrets
import Testing

/// Against the trace of RFC 8448, section 3.
@Suite struct TLSTrafficKeysTests {
    private static let serverSecret = bytes(
        "a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643")
    private static let clientSecret = bytes(
        "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5")
    /// Bytes 0…49, sent by both sides.
    private static let content = (0..<50).map { UInt8($0) }
    private static let fromClient = bytes(
        """
        1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20\
        441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4
        """)
    private static let fromServer = bytes(
        """
        17030300432e937e11ef4ac740e538ad36005fc4a46932fc3225d05f82aa1b36e30efaf97d90e6dffc602dcb50\
        1a59a8fcc49c4bf2e5f0a21c0047c2abf332540dd032e167c2955d
        """)
    /// close_notify.
    private static let alertFromClient = bytes("1703030013c9872760655666b74d7ff1153efd6db6d0b0e3")

    private static func bytes(_ digits: String) -> [UInt8] {
        Hexadecimal.bytes(of: digits.utf8) ?? []
    }

    private static func keys(
        _ secret: [UInt8], sequence: UInt64 = 0
    ) throws -> TLSTrafficKeys {
        try #require(TLSTrafficKeys(suite: .aes128, secret: secret, sequence: sequence))
    }

    private static func inner(
        _ content: [UInt8], _ type: TLSTrafficKeys.Content = .application
    ) -> [UInt8] { content + [type.rawValue] }

    @Test func `Records are those of the trace`() throws {
        var client = try Self.keys(Self.clientSecret)
        var records: [UInt8] = []
        client.seal(Self.inner(Self.content), into: &records)
        client.seal(Self.inner([1, 0], .alert), into: &records)
        #expect(records == Self.fromClient + Self.alertFromClient)
        // The server's first record was a session ticket.
        var server = try Self.keys(Self.serverSecret, sequence: 1)
        var answer: [UInt8] = []
        server.seal(Self.inner(Self.content), into: &answer)
        #expect(answer == Self.fromServer)
    }

    @Test func `The trace's records open, in their order`() throws {
        var keys = try Self.keys(Self.clientSecret)
        let first = try keys.open(Self.fromClient)
        #expect(first.content == Self.content)
        #expect(first.type == .application)
        let second = try keys.open(Self.alertFromClient)
        #expect(second.content == [1, 0])
        #expect(second.type == .alert)
    }

    @Test(arguments: [
        TLSTrafficKeys.Suite.aes128, .aes256, .chaCha20,
    ])
    func `Each suite opens what it sealed, also after new keys and with padding`(
        suite: TLSTrafficKeys.Suite
    ) throws {
        let secret = [UInt8](repeating: 7, count: suite == .aes256 ? 48 : 32)
        var sending = try #require(TLSTrafficKeys(suite: suite, secret: secret, sequence: 9))
        var receiving = sending
        for round in 0..<3 {
            var records: [UInt8] = []
            sending.seal(Self.inner(Self.content) + [0, 0, 0], into: &records)
            #expect(try receiving.open(records).content == Self.content, "round \(round)")
            sending.update()
            receiving.update()
        }
    }

    @Test func `A record that was changed, repeated or is of another key does not open`() throws {
        var keys = try Self.keys(Self.clientSecret)
        for index in Self.fromClient.indices {
            var keys = keys
            var changed = Self.fromClient
            changed[index] ^= 1
            #expect(throws: TLSRecordError.notAuthentic, "byte \(index)") {
                try keys.open(changed)
            }
        }
        _ = try keys.open(Self.fromClient)
        #expect(throws: TLSRecordError.notAuthentic) { try keys.open(Self.fromClient) }
        var others = try Self.keys(Self.serverSecret)
        #expect(throws: TLSRecordError.notAuthentic) { try others.open(Self.fromClient) }
    }

    @Test func `Records of no content, of an unknown type, and cut ones are refused`() throws {
        let keys = try Self.keys(Self.clientSecret)
        for (inner, error) in [
            ([0, 0], TLSRecordError.unknownContent), ([1, 2, 20], .unknownContent),
        ] as [([UInt8], TLSRecordError)] {
            var (sending, receiving) = (keys, keys)
            var records: [UInt8] = []
            sending.seal(inner, into: &records)
            #expect(throws: error) { try receiving.open(records) }
        }
        var receiving = keys
        #expect(throws: TLSRecordError.tooShort) {
            try receiving.open(Array(Self.fromClient[..<21]))
        }
    }

    @Test func `A secret of another length gives no keys`() {
        #expect(
            TLSTrafficKeys(suite: .aes256, secret: Self.clientSecret, sequence: 0) == nil)
    }
}
