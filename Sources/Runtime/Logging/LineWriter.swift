package import Dispatch
import Foundation
import Synchronization

/// Writes lines to a descriptor on its own thread, so that logging never waits for a slow reader: a
/// stopped terminal, a full pipe, a busy journal.
///
/// The buffer is bounded. Lines that do not fit are dropped and counted; the count is written as
/// soon as there is room. Any thread.
package final class LineWriter: Sendable {
    package static let standardError = LineWriter(
        descriptor: FileHandle.standardError.fileDescriptor)

    fileprivate struct State {
        var lines: [[UInt8]] = []
        var bytes = 0
        /// Lines dropped since the last accepted one.
        var dropped = 0
        var isStarted = false
        var isWriting = false
        var waiters: [DispatchSemaphore] = []
    }

    private let descriptor: Int32
    private let bytesMax: Int
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - descriptor: Open descriptor; it stays open.
    ///   - bytesMax: Bytes buffered while the output is not read: some thousand lines.
    package init(descriptor: Int32, bytesMax: Int = 512 << 10) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
    }

    /// Lines dropped since the last accepted one.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Appends a line; never waits.
    ///
    /// - Parameter line: Line with its line end.
    package func append(_ line: [UInt8]) {
        let (isTaken, isFirst) = state.withLock { state -> (Bool, Bool) in
            guard state.bytes + line.count <= bytesMax else {
                state.dropped += 1
                return (false, false)
            }
            if state.dropped > 0 {
                let count = state.dropped
                state.dropped = 0
                state.put(
                    Array("warning: \(count) log line(s) were dropped, nobody read them\n".utf8))
            }
            state.put(line)
            defer { state.isStarted = true }
            return (true, !state.isStarted)
        }
        if isFirst { start() }
        if isTaken { work.signal() }
    }

    /// Waits until all appended lines are written, at most `limit`.
    package func flush(within limit: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        let isIdle = state.withLock { state -> Bool in
            guard !state.lines.isEmpty || state.isWriting else { return true }
            state.waiters.append(done)
            return false
        }
        guard !isIdle else { return }
        // After the limit the lines remain unwritten: the output is not read.
        _ = done.wait(timeout: .now() + limit)
    }

    private func start() {
        let thread = Thread { [self] in while true { writeNext() } }
        thread.name = "log lines"
        thread.start()
    }

    private func writeNext() {
        work.wait()
        let lines = state.withLock { state -> [[UInt8]] in
            state.isWriting = true
            defer { state.lines = [] }
            return state.lines
        }
        for line in lines {
            write(line)
            state.withLock { $0.bytes -= line.count }
        }
        let waiters = state.withLock { state -> [DispatchSemaphore] in
            state.isWriting = false
            guard state.lines.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    /// Writes a line; one that the descriptor refuses is lost, because there is no other output.
    private func write(_ line: [UInt8]) {
        try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            .write(contentsOf: Data(line))
    }
}

extension LineWriter.State {
    fileprivate mutating func put(_ line: [UInt8]) {
        lines.append(line)
        bytes += line.count
    }
}
