import Dispatch
import Foundation

/// The terminal while `watch` draws on it: an alternate screen, redrawn after each event and each
/// change of size, and restored at the end.
actor WatchDisplay {
    private var screen = WatchScreen()
    private var size = (columns: 80, rows: 24)
    private var signals: [any DispatchSourceSignal] = []

    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    /// Opens the alternate screen; an interrupt restores the terminal and exits with status 0.
    func open() {
        measure()
        Terminal.write(Self.enter, to: .standardOutput)
        onSignal(SIGWINCH) { [weak self] in
            Task { await self?.resized() }
        }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            onSignal(number) {
                Terminal.write(Self.leave, to: .standardOutput)
                Foundation.exit(0)
            }
        }
    }

    /// Restores the terminal.
    func close() {
        Terminal.write(Self.leave, to: .standardOutput)
    }

    /// - Parameter event: A snapshot, update or event, as JSON.
    func take(_ event: String) {
        guard let object = Self.object(Array(event.utf8)) else { return }
        screen.take(object, history: false)
        draw()
    }

    /// - Parameter page: An answer of `history`, as JSON.
    /// - Returns: The cursor of the next page; `nil`: there is none.
    func take(history page: [UInt8]) -> String? {
        guard let object = Self.object(page), let items = object["items"] as? [[String: Any]] else {
            return nil
        }
        for item in items { screen.take(item, history: true) }
        return object["more"] as? Bool == true ? object["nextCursor"] as? String : nil
    }

    private static func object(_ json: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any]
    }

    func say(_ notice: String?) {
        screen.connection = notice
        draw()
    }

    private func resized() {
        measure()
        draw()
    }

    private func draw() {
        let lines = screen.lines(columns: size.columns, rows: size.rows)
        // Each line clears the rest of its row, which avoids flicker.
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")
        Terminal.write("\u{1B}[H" + text + "\u{1B}[J", to: .standardOutput)
    }

    private func onSignal(_ number: Int32, _ action: @escaping @Sendable () -> Void) {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: action)
        source.resume()
        signals.append(source)
    }

    /// Reads the size from `stty`; without a terminal, 80 × 24.
    private func measure() {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["stty", "size"]
        process.standardInput = FileHandle.standardInput
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return }
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return }
        size = (columns: numbers[1], rows: numbers[0])
    }
}
