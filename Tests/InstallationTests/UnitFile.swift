/// A systemd unit: sections of settings, which may repeat.
struct UnitFile {
    struct Setting: Hashable {
        let section: String
        let key: String
        let value: String
    }

    /// A line that is neither comment, section nor setting.
    struct Malformed: Error {
        let line: Int
        let text: String
    }

    let settings: [Setting]

    init(_ text: String) throws(Malformed) {
        var section = ""
        var settings: [Setting] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if let equals = line.firstIndex(of: "="), !section.isEmpty {
                settings.append(
                    Setting(
                        section: section, key: String(line[..<equals]),
                        value: String(line[line.index(after: equals)...])))
            } else {
                throw Malformed(line: index + 1, text: String(line))
            }
        }
        self.settings = settings
    }

    func values(_ section: String, _ key: String) -> [String] {
        settings.filter { $0.section == section && $0.key == key }.map(\.value)
    }
}
