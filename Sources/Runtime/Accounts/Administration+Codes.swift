package import Registry
import Secrets
package import SensorModel
package import Sharing

extension Administration {
    /// Issues a code to read aloud, valid for one use.
    ///
    /// - Parameters:
    ///   - share: The share that it opens.
    ///   - lifetimeSeconds: How long it is valid.
    ///   - owner: The share's device, if its owner asks: the codes of all its shares before are over.
    ///     All codes of all devices have one limit, which no device may use up.
    /// - Returns: The code, and its end.
    /// - Throws: ``ShareError/isOver(name:)``; errors of the registry.
    package func issueCode(
        for share: Share, lifetimeSeconds: Int, by owner: Device? = nil
    ) throws -> (code: ShortCode, expiresAt: Timestamp) {
        try accounts.changing {
            let now = clock()
            guard accounts.share(share.key)?.isActive(at: now) ?? false else {
                throw ShareError.isOver(name: share.name)
            }
            try accounts.registry.requireWritable()
            if let owner {
                let shares = accounts.withState { $0.shares.shares(of: owner.id) }.map(\.key)
                try accounts.registry.withdrawCodes(of: shares)
                accounts.withState { state in for key in shares { state.codes.withdraw(key) } }
            }
            let issued = accounts.withState { state in
                var generator = SystemRandomNumberGenerator()
                return state.codes.issue(
                    for: share.key, at: now, lifetimeSeconds: lifetimeSeconds, using: &generator)
            }
            guard let issued else { throw AdministrationError.tooManyCodes }
            let sealed = accounts.masterKey.seal(
                Array(issued.code.text.utf8), for: .shortCode(share.key))
            let number = try accounts.registry.addCode(
                sealed: sealed, for: share.key, at: now, until: issued.expiresAt)
            accounts.withState { state in
                state.codeNumbers = state.codeNumbers.filter { state.codes.isOut($0.key) }
                state.codeNumbers[issued.code] = number
            }
            return issued
        }
    }

    /// Exchanges a code for the share's secret, once.
    ///
    /// - Throws: ``RegistryError``, also while the registry cannot be written. The code then stays
    ///   valid, because a restart would make it valid again.
    package func redeem(_ code: ShortCode, from address: AddressKey) throws -> ShareID? {
        try accounts.registry.requireWritable()
        // An unknown code is refused before the lock: a guess must not wait for an owner's change.
        guard accounts.withState({ $0.codes.isOut(code) }) else { return nil }
        return try accounts.changing {
            let now = clock()
            let redeemed = accounts.withState { state in
                (
                    key: state.codes.redeem(code, at: now),
                    number: state.codeNumbers.removeValue(
                        forKey: code)
                )
            }
            if let number = redeemed.number { try accounts.registry.removeCode(number) }
            guard let key = redeemed.key, let share = accounts.share(key), share.isActive(at: now)
            else { return nil }
            accounts.note(.codeRedeemed, of: key, from: address, at: now)
            return accounts.secretID(of: key)
        }
    }
}
