import Foundation
import Registry
import Synchronization

/// Keeps a registry's file by nothing but the pages that it is given.
final class Follower: RegistryObserver {
    private struct State {
        var file: [UInt8] = []
        var given: [RegistryPages] = []
        var refusal: RegistryError?
        var failure: RegistryError?
    }

    static let refusal = RegistryError.notReplicated("no majority")
    /// SQLite's code of a failed disk, which would degrade the registry if it were the disk's.
    static let failure = RegistryError.database(code: 10, reason: "no answer")

    private let state = Mutex(State())

    var file: [UInt8] {
        get { state.withLock { $0.file } }
        set { state.withLock { $0.file = newValue } }
    }

    /// All that was accepted, in order.
    var given: [RegistryPages] { state.withLock { $0.given } }

    var isReady: Bool {
        get { state.withLock { $0.refusal == nil } }
        set { state.withLock { $0.refusal = newValue ? nil : Self.refusal } }
    }

    var isFailing: Bool {
        get { state.withLock { $0.failure != nil } }
        set { state.withLock { $0.failure = newValue ? Self.failure : nil } }
    }

    func requireReady() throws(RegistryError) {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    }

    func erased() {}

    func committed(_ pages: RegistryPages) throws(RegistryError) {
        let failure = state.withLock { state in
            guard state.failure == nil else { return state.failure }
            state.given.append(pages)
            Self.apply(pages, to: &state.file)
            return nil
        }
        if let failure { throw failure }
    }

    static func apply(_ pages: RegistryPages, to file: inout [UInt8]) {
        for page in pages.pages {
            let end = page.position + page.bytes.count
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.replaceSubrange(page.position..<end, with: page.bytes)
        }
        if file.count > pages.fileBytes {
            file.removeLast(file.count - pages.fileBytes)
        } else {
            file += [UInt8](repeating: 0, count: pages.fileBytes - file.count)
        }
    }
}
