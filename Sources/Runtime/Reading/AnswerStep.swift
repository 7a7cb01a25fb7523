/// Answers of readings that also read hidden records. These add nothing to an answer, so its time
/// must not reveal them.
package enum AnswerStep {
    /// Waits until 25 ms after `begin`, or 50, 100, 200…
    ///
    /// - Throws: `CancellationError`
    package static func wait(since begin: ContinuousClock.Instant) async throws {
        var step = Duration.milliseconds(25)
        while begin + step < .now { step *= 2 }
        try await Task.sleep(until: begin + step, clock: .continuous)
    }
}
