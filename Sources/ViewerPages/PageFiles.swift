import CPages

/// The files of `Resources`, by name, as they were when this was compiled.
enum PageFiles {
    static let all: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (0..<cpages_count()).map { index in
            // Constants of the program: they are there for as long as it runs.
            let file = unsafe cpages_file(index)
            let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.count)
            return unsafe (String(cString: file.name), Array(bytes))
        })

    /// What is served under a versioned name: all but the pages and the parts of a report.
    static let assets = all.filter { name, _ in
        !name.hasSuffix(".html") && !ReportPage.fileNames.contains(name)
    }

    static func page(_ page: PageCatalog.Page) -> [UInt8] {
        all["\(page.rawValue).html"] ?? []
    }
}
