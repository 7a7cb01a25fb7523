import Client
import Testing

@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("tcp://host", "host", 7420, "/"), ("ws://host:1/v1/device", "host", 1, "/v1/device"),
        ("https://[::1]/s/x?a=b", "::1", 443, "/s/x?a=b"), ("http://h?x", "h", 80, "/?x"),
        ("unix:///run/a.sock", "/run/a.sock", 0, "/"),
    ])
    func `Addresses are read`(text: String, host: String, port: Int, target: String) throws {
        let address = try ServerAddress(text)
        #expect(address.host == host && address.port == port && address.target == target)
    }

    @Test(arguments: ["host:1", "ftp://h", "tcp://", "tcp://h:0", "tcp://h:x", "ws://h/a b", ""])
    func `What is no address is refused`(text: String) {
        #expect(throws: ClientError.badAddress(text)) { _ = try ServerAddress(text) }
    }
}
