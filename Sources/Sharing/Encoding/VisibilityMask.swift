public import SensorModel

/// The scopes that may see one form of a value: bit n means the scope of raw value n.
///
/// A split with its heart rate and the same split without it are two forms. A share finds its form
/// by one bit test.
public struct VisibilityMask: Hashable, Sendable {
    /// Maximum number of parts in a scope. n parts have 2ⁿ combinations, and each has a bit.
    static let scopePartsMax = 6

    /// One bit for every possible scope, including parts that do not exist yet, so that a new part
    /// needs no change here.
    private let bits: UInt64

    public static let everyone = VisibilityMask { _ in true }

    /// Scopes that include all of `needed`.
    public static func holding(_ needed: Scope) -> VisibilityMask {
        VisibilityMask { $0.isSuperset(of: needed) }
    }

    /// Scopes that include all of `needed` and nothing of `missing`.
    public static func holding(_ needed: Scope, without missing: Scope) -> VisibilityMask {
        VisibilityMask { $0.isSuperset(of: needed) && $0.isDisjoint(with: missing) }
    }

    init(_ belongs: (Scope) -> Bool) {
        Self.checkRoom(for: .all)
        var bits: UInt64 = 0
        for rawValue in 0..<UInt8(1 << Self.scopePartsMax)
        where belongs(Scope(rawValue: rawValue)) {
            bits |= 1 << UInt64(rawValue)
        }
        self.bits = bits
    }

    /// Traps if a scope has more parts than the mask supports; its bit would be shifted out, and
    /// its shares would show nothing.
    static func checkRoom(for all: Scope) {
        precondition(
            Int(all.rawValue) < 1 << Self.scopePartsMax, "a scope beyond the mask's six parts")
    }

    public func contains(_ scope: Scope) -> Bool {
        // A part beyond the mask makes nothing visible.
        bits & 1 << UInt64(scope.rawValue & UInt8(1 << Self.scopePartsMax - 1)) != 0
    }
}
