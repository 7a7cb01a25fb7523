package import Runtime
package import Transport

/// Reports the addresses of a running daemon's listeners, for `pulsecast doctor`. Its configuration
/// may ask for any free port, and may differ from the one that the terminal uses.
package struct ListenerRoutes: Sendable {
    private let address: PublicAddress

    package init(_ address: PublicAddress) {
        self.address = address
    }

    package func add(to router: inout Router) {
        router.add(.get, "/listeners") { _ in JSONBody.response(address.listeners) }
    }
}
