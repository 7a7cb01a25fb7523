/// The published attacks, by name.
public enum Attack: String, CaseIterable, Sendable {
    case circle = "circle fit"
    case consensus = "circle fit, RANSAC"
    case ring = "circle fit, offset known"
    case average = "mean of the cuts"
    case hull = "hull of the cuts"
    case hole = "hole in the heat map"
    case lines = "tracks drawn on as lines"
    case streets = "streets that lead inside"
    case meters = "hidden distance"
    case seconds = "hidden time x pace"
    case climb = "hidden climb"
    case stop = "live: when points stop"
    case besideMeters = "second share: distance"
    case besideSeconds = "second share: time"
    case moves = "zone moved"
    case combined = "all together"
    case records = "cursors"
}

/// The results of one attacker, who has all published data of one device.
public struct Findings: Sendable {
    public var guesses: [Attack: Guess] = [:]
    /// Probability that a random guess among the buildings that fit the circle is right.
    public var baseline = 0.0

    public init() {}
}
