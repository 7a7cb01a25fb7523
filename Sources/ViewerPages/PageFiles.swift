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

    static func page(_ page: PageCatalog.Page) -> [UInt8] {
        all["\(page.rawValue).html"] ?? []
    }
}
