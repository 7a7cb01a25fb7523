import Ring
import SensorModel
import Synchronization
import Transport

@testable import Daemon
@testable import Runtime

/// An external HTTP server that answers with given statuses and records requests.
final class ReceivingServer: Sendable {
    private struct State {
        var statuses: [Int]
        var requests: [HTTPRequest] = []
    }

    private let state: Mutex<State>

    /// - Parameter statuses: Of the first answers; later ones are 200.
    init(statuses: [Int] = []) {
        state = Mutex(State(statuses: statuses))
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Host and port of an address.
    static func place(of url: String) -> String {
        String(url.dropFirst("http://".count).prefix { $0 != "/" })
    }

    /// Runs `body` with the receiver's address.
    func run(_ body: (String) async throws -> Void) async throws {
        let loops = LoopGroup(published: { 0 }, arrivalClock: WallClock.now)
        var router = Router()
        router.add(.post, "/*") { [self] request in
            let status = state.withLock { state in
                state.requests.append(request)
                return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
            }
            return HTTPResponse(status: status)
        }
        let gate = ClosedGate(refusal: .tokenRefused)
        let server = TransportServer(
            loops: loops,
            listeners: [
                ListenerConfiguration(
                    name: "http", address: .tcp(host: "127.0.0.1", port: 0),
                    service: .http(router))
            ], devices: gate, viewers: gate)
        let address = try await server.start()["http"] ?? ""
        do { try await body("http://\(address)/hook") } catch {
            await stop(server, loops)
            throw error
        }
        await stop(server, loops)
    }

    private func stop(_ server: TransportServer, _ loops: LoopGroup) async {
        await server.stopListening()
        await server.closeAll(withinSeconds: 1)
        await loops.shutdown()
    }
}
