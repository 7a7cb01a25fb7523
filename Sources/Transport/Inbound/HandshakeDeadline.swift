/// Calls its closure once, unless it is released before.
final class HandshakeDeadline: DeadlineMember {
    private var deadline: Deadline?
    private let expired: () -> Void

    init(_ loop: LoopState, seconds: Int, expired: @escaping () -> Void) {
        self.expired = expired
        loop.setDeadline(&deadline, of: self, inSeconds: seconds)
    }

    func deadlineReached(_ tick: Int) -> Int? {
        expired()
        return nil
    }
}
