/// Measures functions by indentation, which the formatter guarantees: a `func` or `init` ends at
/// the first line that closes its own depth.
enum FunctionLength {
    static let linesMax = 50

    static func findings(in file: SourceTree.File) -> [Finding] {
        var findings: [Finding] = []
        for (start, line) in file.lines.enumerated() {
            // A function on one line has no closing line.
            guard line.contains("func ") || line.contains("init"),
                line.firstMatch(of: /^\s*([a-z@_() ]+ )?(func |init[?(<])/) != nil,
                !line.hasSuffix(" }")
            else { continue }
            let indent = line.prefix { $0 == " " }
            let closing = indent + "}"
            guard let end = file.lines[start...].firstIndex(where: { $0 == closing }) else {
                continue
            }
            let opensBody = file.lines[start...end].contains { $0.hasSuffix("{") }
            if opensBody, end - start + 1 > linesMax {
                findings.append(
                    Finding(
                        path: file.path, line: start + 1,
                        rule: "a function of \(end - start + 1) lines, at most \(linesMax)"))
            }
        }
        return findings
    }
}
