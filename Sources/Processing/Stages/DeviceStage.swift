import SensorModel

/// Keeps the state of the device.
///
/// - In: status.
/// - Out: nothing.
struct DeviceStage: Sendable {
    private var status: DeviceStatus?

    mutating func set(_ status: DeviceStatus) {
        self.status = status
    }

    func show(in shown: inout Metrics) {
        shown.battery = status?.batteryPercent.map { Double($0) / 100 }
        shown.charging = status?.charging
    }
}
