/// Finds the most likely intended word for a misspelt one.
package enum Suggestion {
    /// The candidate with the smallest Levenshtein distance; `nil` when none is near.
    package static func nearest(
        to word: String, in candidates: some Collection<String>
    ) -> String? {
        let bound = max(2, word.count / 3)
        let ranked = candidates.map { (distance: distance(word, $0), word: $0) }
        guard let best = ranked.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }),
            best.distance <= bound
        else { return nil }
        return best.word
    }

    /// Levenshtein distance: insertions, deletions and replacements between two words.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (index, byte) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (right[column] == byte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
