import SensorModel
import WireFormat

/// The messages to the device.
extension DeviceConnection {
    func say(_ message: DaemonMessage) {
        port?.send(message)
    }

    func welcome(_ welcome: DeviceWelcome) {
        say(
            .welcome(
                session: welcome.session, acknowledged: welcome.acked, share: welcome.share,
                serverTime: welcome.serverTime))
    }

    func acknowledge(_ sequence: FrameSequence, durable: Bool) {
        say(.ack(sequence: sequence, durable: durable))
    }

    func command(_ json: [UInt8]) {
        port?.send(commandJSON: json)
    }
}
