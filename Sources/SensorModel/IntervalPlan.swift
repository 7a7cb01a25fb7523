/// A runner's plan: phases one after another, each with a duration or a distance.
///
/// As text, phases are separated by commas: `M:SS` or `90s` for time, `400m` or `1.5km` for
/// distance, `5x(1km,2:00)` for a repetition. Kilometers are rounded to a centimeter. A plan that
/// was read from a text writes a ``text`` that reads the same.
public struct IntervalPlan: Hashable, Sendable {
    public enum Phase: Hashable, Sendable {
        /// 10…86,400.
        case seconds(Double)
        /// 50…200,000.
        case meters(Double)
    }

    /// The reference implementation's bound.
    public static let phasesMax = 50
    /// The lower bound is the reference implementation's.
    public static let secondsRange = 10.0...86_400
    /// The lower bound is the distance of a sprinter in the shortest phase, 10 s.
    public static let metersRange = 50.0...200_000

    /// 1…``phasesMax`` phases.
    public let phases: [Phase]

    /// Returns `nil` for no phase, too many phases, or a phase out of range.
    public init?(phases: [Phase]) {
        guard (1...Self.phasesMax).contains(phases.count),
            phases.allSatisfy(Self.isAllowed)
        else { return nil }
        self.phases = phases
    }

    /// Returns `nil` for a text that is no plan.
    ///
    /// - Parameter text: A plan such as `10:00,5x(1km,2:00),10:00`; blanks and case do not matter.
    public init?(text: String) {
        let plain = text.filter { $0 != " " }.lowercased()
        guard let phases = Self.phases(in: plain[...]) else { return nil }
        self.init(phases: phases)
    }

    /// One phase after another, no repetition: `10:00,1000m,2:00,1000m,2:00`.
    public var text: String {
        phases.map { phase in
            switch phase {
            case .meters(let meters): Self.text(of: meters) + "m"
            case .seconds(let seconds): Self.time(of: seconds)
            }
        }.joined(separator: ",")
    }

    private static func isAllowed(_ phase: Phase) -> Bool {
        switch phase {
        case .seconds(let seconds): secondsRange.contains(seconds)
        case .meters(let meters): metersRange.contains(meters)
        }
    }

    // MARK: Text

    private static func text(of number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    private static func time(of seconds: Double) -> String {
        guard seconds == seconds.rounded() else { return text(of: seconds) + "s" }
        let whole = Int(seconds)
        let rest = whole % 60
        return "\(whole / 60):" + (rest < 10 ? "0" : "") + "\(rest)"
    }

    private static func phases(in text: Substring) -> [Phase]? {
        var phases: [Phase] = []
        var rest = text
        while !rest.isEmpty {
            if let open = rest.firstIndex(of: "("), !rest[..<open].contains(",") {
                guard let close = rest.firstIndex(of: ")"), open < close,
                    let times = repetitions(rest[..<open]),
                    let part = plainPhases(in: rest[rest.index(after: open)..<close]),
                    times * part.count <= phasesMax
                else { return nil }
                for _ in 0..<times { phases += part }
                rest = rest[rest.index(after: close)...]
            } else {
                let end = rest.firstIndex(of: ",") ?? rest.endIndex
                guard let phase = phase(rest[..<end]) else { return nil }
                phases.append(phase)
                rest = rest[end...]
            }
            guard phases.count <= phasesMax else { return nil }
            guard let comma = rest.first else { break }
            rest = rest.dropFirst()
            guard comma == ",", !rest.isEmpty else { return nil }
        }
        return phases
    }

    private static func plainPhases(in text: Substring) -> [Phase]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(phase)
        let phases = parts.compactMap { $0 }
        return phases.count == parts.count && phases.count <= phasesMax ? phases : nil
    }

    private static func repetitions(_ text: Substring) -> Int? {
        guard text.last == "x", let times = Int(text.dropLast()), (1...phasesMax).contains(times)
        else { return nil }
        return times
    }

    private static func phase(_ text: Substring) -> Phase? {
        if text.contains(":") {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { whole($0) }
            guard numbers.count == parts.count, (2...3).contains(parts.count),
                numbers.dropFirst().allSatisfy({ $0 < 60 })
            else { return nil }
            return .seconds(Double(numbers.reduce(0) { $0 * 60 + $1 }))
        }
        if text.hasSuffix("km") {
            // A binary fraction of a kilometer is not one of a meter. Without the rounding
            // `1.001km` is 1000.9999999999999 m, and ``init(text:)`` would refuse its ``text``.
            return number(text.dropLast(2)).map { .meters(($0 * 100_000).rounded() / 100) }
        }
        if text.hasSuffix("m") { return number(text.dropLast()).map { .meters($0) } }
        if text.hasSuffix("s") { return number(text.dropLast()).map { .seconds($0) } }
        return nil
    }

    private static func whole(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(text)
    }

    private static func number(_ text: Substring) -> Double? {
        guard (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 })
        else { return nil }
        return Double(text)
    }
}
