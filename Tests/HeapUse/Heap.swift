import Glibc

/// Declared here because the C library's module lacks `<malloc.h>`.
@_silgen_name("malloc_info")
private func mallocInfo(_ options: CInt, _ file: UnsafeMutablePointer<FILE>) -> CInt

/// The memory that this process has allocated and not freed.
package enum Heap {
    package static var bytes: Int {
        var start: UnsafeMutablePointer<CChar>?
        var count = 0
        guard let file = unsafe open_memstream(&start, &count) else { return 0 }
        _ = unsafe mallocInfo(0, file)
        unsafe fclose(file)
        guard let start = unsafe start else { return 0 }
        defer { unsafe free(start) }
        let text = unsafe String(cString: start)
        // The totals of all arenas come last, after those of each arena.
        let free = last("fast\" count=", in: text) + last("rest\" count=", in: text)
        return last("system type=\"current\"", in: text) - free + last("mmap\" count=", in: text)
    }

    /// Returns the size that follows the last `mark`.
    private static func last(_ mark: String, in text: String) -> Int {
        for line in text.split(separator: "\n").reversed() where line.contains(mark) {
            let parts = line.split(separator: "size=\"")
            return parts.last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        }
        return 0
    }
}
