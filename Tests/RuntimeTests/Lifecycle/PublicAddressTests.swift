import Testing

@testable import Runtime

@Suite struct PublicAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:7480", "", [], false, "http://127.0.0.1:7480"),
            ("127.0.0.1:7480", "", [], true, "https://127.0.0.1:7480"),
            ("0.0.0.0:7480", "", [], false, "http://127.0.0.1:7480"),
            ("[::]:7480", "", [], false, "http://127.0.0.1:7480"),
            ("[::1]:7480", "", [], false, "http://[::1]:7480"),
            ("192.168.1.5:7480", "", [], false, nil),
            ("/run/http.sock", "", [], false, nil),
            // Without a trusted proxy the public address is open to anybody, or to nobody.
            (
                "127.0.0.1:7480", "https://run.example", [], false, "http://127.0.0.1:7480"
            ),
            (
                "127.0.0.1:7480", "http://run.example", ["10.0.0.1"], false,
                "http://127.0.0.1:7480"
            ),
            ("127.0.0.1:7480", "http://run.example", ["127.0.0.1"], false, nil),
            (
                "127.0.0.1:7480", "https://run.example", ["127.0.0.1"], false,
                "https://run.example"
            ),
        ] as [(String, String, [String], Bool, String?)])
    func `The administration is at the proxy's address, or at this machine's`(
        http: String, publicURL: String, proxies: [String], hasTLS: Bool, url: String?
    ) {
        var configuration = Configuration()
        configuration.http.publicURL = publicURL
        configuration.http.trustedProxies = proxies
        configuration.httpListener.tls = hasTLS
        let address = PublicAddress()
        address.set(configuration: configuration, addresses: ["http": http])
        #expect(address.administrationURL == url)
    }
}
