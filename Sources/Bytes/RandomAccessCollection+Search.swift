extension RandomAccessCollection where Index == Int {
    /// Binary search. O(log n).
    ///
    /// - Parameter isAtOrAfter: A condition that holds for no element, or from one element on for
    ///   all.
    /// - Returns: Index of the first element for which it holds; the end if there is none.
    @inlinable
    package func partitioningIndex(where isAtOrAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAtOrAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
