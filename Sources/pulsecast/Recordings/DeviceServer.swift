import ArgumentParser
import Client

/// The daemon that a device connects to.
struct DeviceServer: ParsableArguments {
    @Option(
        help: .value(
            "address", "tcp://host:port or ws://host:port/v1/device; with TLS tcps:// or wss://."))
    var to = "tcp://127.0.0.1:7420"

    @OptionGroup var trust: TrustOptions

    var address: ServerAddress {
        get throws {
            do {
                return try ServerAddress(to)
            } catch {
                throw CommandFailure("\(error)", status: ExitStatus.wrongUse)
            }
        }
    }
}
