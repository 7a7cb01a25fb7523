public import SensorModel

/// The scopes that may see one form of a value: bit n stands for the scope of raw value n.
///
/// A split with its heart rate and the same split without are two forms for two audiences, and a
/// share picks its own by one bit test.
public struct Audience: Hashable, Sendable {
    private let bits: UInt8

    public static let everyone = Audience { _ in true }

    /// Scopes that hold all of `needed`.
    public static func holding(_ needed: Scope) -> Audience {
        Audience { $0.isSuperset(of: needed) }
    }

    /// Scopes that hold all of `needed` and nothing of `missing`.
    public static func holding(_ needed: Scope, without missing: Scope) -> Audience {
        Audience { $0.isSuperset(of: needed) && $0.isDisjoint(with: missing) }
    }

    init(_ belongs: (Scope) -> Bool) {
        var bits: UInt8 = 0
        for rawValue in 0...Scope.all.rawValue where belongs(Scope(rawValue: rawValue)) {
            bits |= 1 << rawValue
        }
        self.bits = bits
    }

    public func contains(_ scope: Scope) -> Bool {
        bits & 1 << (scope.rawValue & Scope.all.rawValue) != 0
    }
}
