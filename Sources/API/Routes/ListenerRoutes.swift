package import Runtime
package import Transport

/// Says where a running daemon listens, for `pulsecast doctor`: its configuration may ask for any free
/// port, and be another one than the terminal's.
package struct ListenerRoutes: Sendable {
    private let address: PublicAddress

    package init(_ address: PublicAddress) {
        self.address = address
    }

    package func add(to router: inout Router) {
        router.add(.get, "/listeners") { _ in JSONBody.response(address.listeners) }
    }
}
