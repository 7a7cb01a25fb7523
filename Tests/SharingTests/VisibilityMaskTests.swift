import SensorModel
import Testing

@testable import Sharing

@Suite struct VisibilityMaskTests {
    /// Every combination of the known scopes and of the mask's spare bits.
    private static let scopes = (UInt8(0)..<64).map { Scope(rawValue: $0) }

    @Test(arguments: scopes)
    func `A value is seen by the scopes that hold what it needs, and by no others`(
        needed: Scope
    ) {
        let mask = VisibilityMask.holding(needed)
        for scope in Self.scopes {
            #expect(mask.contains(scope) == (needed.rawValue & ~scope.rawValue == 0), "\(scope)")
        }
    }

    @Test(arguments: scopes)
    func `A form without a part is seen by the scopes that lack it`(missing: Scope) {
        for needed in Self.scopes where needed.isDisjoint(with: missing) {
            let mask = VisibilityMask.holding(needed, without: missing)
            for scope in Self.scopes {
                let holds = needed.rawValue & ~scope.rawValue == 0
                #expect(mask.contains(scope) == (holds && scope.rawValue & missing.rawValue == 0))
            }
        }
    }

    @Test func `Everyone is every scope`() {
        for scope in Self.scopes { #expect(VisibilityMask.everyone.contains(scope)) }
    }

    @Test(arguments: scopes)
    func `A mask is exactly the scopes it was made of`(only: Scope) {
        let mask = VisibilityMask { $0 == only }
        #expect(Self.scopes.filter(mask.contains) == [only])
    }

    @Test func `There is room for six parts, and a seventh traps`() async {
        VisibilityMask.checkRoom(for: .all)
        VisibilityMask.checkRoom(for: Scope(rawValue: 0b11_1111))
        await #expect(processExitsWith: .failure) {
            VisibilityMask.checkRoom(for: Scope(rawValue: 0b111_1111))
        }
    }
}
