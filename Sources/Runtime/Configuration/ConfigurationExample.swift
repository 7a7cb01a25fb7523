/// The example file, generated from the schema so that both always agree.
public enum ConfigurationExample {
    public static var text: String {
        var lines = [
            "# Pulsecast's configuration. Every line is optional; what is shown is the default.",
            "# Each key can also be set as environment PULSECAST_SECTION_KEY.",
            "# Check it with: pulsecast check-config FILE",
            "",
            "# Of this file; a later version's is refused.",
            "\(ConfigurationLoader.formatKey): \(ConfigurationLoader.format)",
        ]
        var section = ""
        for entry in sortedEntries {
            if entry.section != section {
                section = entry.section
                lines += ["", "\(section):"]
            }
            lines += wrapped("\(entry.meaning).").map { "  # \($0)" }
            lines += wrapped("Allowed: \(entry.allowed).").map { "  # \($0)" }
            lines.append(
                entry.reloadable ? "  # Applied by reload." : "  # Applied by restart.")
            lines.append("  \(entry.key): \(quoted(entry.defaultText))")
        }
        return lines.joined(separator: "\n")
    }

    /// Entries by section, in the order in which sections first appear.
    private static var sortedEntries: [ConfigurationEntry] {
        var sections: [String] = []
        for entry in ConfigurationSchema.entries where !sections.contains(entry.section) {
            sections.append(entry.section)
        }
        return sections.flatMap { section in
            ConfigurationSchema.entries.filter { $0.section == section }
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." }
        return isPlain ? text : "\"\(text)\""
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + word.count + 1 > 92 {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
