import Sharing
import Transport

extension PeerAddress {
    /// What failures and cheers are counted by.
    var key: AddressKey {
        guard let key = AddressKey(bytes: bytes) else {
            preconditionFailure("an address of neither 4 nor 16 bytes")
        }
        return key
    }
}
