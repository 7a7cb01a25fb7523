package import SensorModel

extension Timestamp {
    /// - Parameter number: Time since 1970: seconds below 2^31, milliseconds above.
    package init?(secondsOrMilliseconds number: Double) {
        self.init(secondsSince1970: number < 2_147_483_648 ? number : number / 1000)
    }
}
