import CPages

/// The files of `Resources` by name, as of compilation.
enum PageFiles {
    static let all: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (0..<cpages_count()).map { index in
            // Constants of the program, which live as long as it runs.
            let file = unsafe cpages_file(index)
            let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
            return unsafe (String(cString: file.name), Array(bytes))
        })

    /// Files served under a versioned name: all but the pages and the parts of a report.
    static let assets = all.filter { name, _ in
        !name.hasSuffix(".html") && !ReportPage.fileNames.contains(name)
    }

    /// The HTML of a page. `{{part-head}}` stands for the lines of the file `part-head.html`: pages
    /// share such parts.
    static func html(_ name: String) -> [UInt8] {
        PageTemplate(source: all["\(name).html"] ?? []).filled(
            reference: { _ in nil },
            placeholder: { word in
                guard word.hasPrefix("part-") else { return nil }
                return String(decoding: html(word).dropLast(), as: UTF8.self)
            })
    }
}
