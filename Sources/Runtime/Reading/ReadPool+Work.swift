import Synchronization

extension ReadPool {
    /// Cancellation flag, checked between records.
    package final class Ticket: Sendable {
        private let flag = Atomic(false)

        package var isCancelled: Bool { flag.load(ordering: .relaxed) }

        package func cancel() {
            flag.store(true, ordering: .relaxed)
        }
    }

    /// The body of a job, which runs once. Its memory is free before its caller continues, because
    /// the caller may request the same memory again.
    final class Work<Output: Sendable>: Sendable {
        private let body: Mutex<(@Sendable (Ticket) throws -> Output)?>

        init(_ body: @escaping @Sendable (Ticket) throws -> Output) {
            self.body = Mutex(body)
        }

        /// - Parameters:
        ///   - ticket: Ticket that the caller cancels.
        ///   - refusal: Reason not to run the body; `nil`: it runs.
        /// - Returns: Result for the caller.
        func end(_ ticket: Ticket, _ refusal: ReadRefusal?) -> Result<Output, any Error> {
            let body = body.withLock { $0.take() }
            guard let body else { preconditionFailure("a job ends once") }
            if let refusal = ticket.isCancelled ? .cancelled : refusal { return .failure(refusal) }
            return Result { try body(ticket) }
        }
    }
}
