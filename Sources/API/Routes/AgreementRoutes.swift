import Runtime
import Transport

/// Compares the registry with the log of a running daemon, for `pulsecast doctor`.
struct AgreementRoutes: Sendable {
    let administration: Administration

    func add(to router: inout Router) {
        router.add(.get, "/agreement") { _ in
            await answer { JSONBody.response(try administration.agreement()) }
        }
        router.add(.post, "/agreement/accept-log") { _ in
            await answer {
                try administration.acceptLog()
                return JSONBody.response(try administration.agreement())
            }
        }
    }
}
