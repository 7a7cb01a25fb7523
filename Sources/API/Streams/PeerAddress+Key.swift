package import Sharing
import Transport

extension PeerAddress {
    /// Key by which failures and cheers are counted.
    package var key: AddressKey {
        guard let key = AddressKey(bytes: bytes) else {
            preconditionFailure("an address of neither 4 nor 16 bytes")
        }
        return key
    }
}
