package import Bytes
package import SensorModel

extension ConstantTime {
    package static func areEqual(_ left: SecretHash, _ right: SecretHash) -> Bool {
        areEqual(left.bytes, right.bytes)
    }
}
