import Registry
import SensorModel

/// The results requested last, in two generations: a full younger one replaces the older, and a
/// result that is requested moves to the younger. So a long list drops neither itself nor what
/// others use.
struct RecentResults {
    /// Results of a generation. Three lists of the longest page fit; both take 1.5 MiB.
    static let generationMax = 3072

    private let generationMax: Int
    private var younger: [SessionID: SessionResult] = [:]
    private var older: [SessionID: SessionResult] = [:]

    init(generationMax: Int = RecentResults.generationMax) {
        self.generationMax = generationMax
    }

    var count: Int { younger.count + older.count }

    /// Looks up results; those of the older generation move to the younger.
    mutating func results(of sessions: [SessionID]) -> [SessionID: SessionResult] {
        var found: [SessionID: SessionResult] = [:]
        var aging: [SessionResult] = []
        for session in sessions {
            if let result = younger[session] {
                found[session] = result
            } else if let result = older[session] {
                found[session] = result
                aging.append(result)
            }
        }
        // A move may drop the older generation, so all are looked up before.
        for result in aging { insert(result) }
        return found
    }

    mutating func insert(_ result: SessionResult) {
        older[result.session] = nil
        if younger.count >= generationMax, younger[result.session] == nil {
            (older, younger) = (younger, [:])
        }
        younger[result.session] = result
    }

    mutating func remove(_ session: SessionID) {
        younger[session] = nil
        older[session] = nil
    }
}
