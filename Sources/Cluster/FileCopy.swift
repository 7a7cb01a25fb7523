import SegmentLog

/// Makes a node's files those of the leader, block by block; blocks that are equal are not sent.
///
/// The leader goes on meanwhile: ``CopyPins`` says why the result is right once all changes since
/// the beginning are applied.
struct FileCopy {
    /// What follows from a finished copy.
    struct Result: Hashable {
        /// Term of the leader.
        var term: UInt64
        /// Number of the change ``FileChange/copyBegan(_:)``.
        var number: UInt64
        /// A sequence before it.
        var sequence: UInt64
        /// The files are whole when everything up to this sequence is applied.
        var end: UInt64
    }

    private static let hashBytes = 32
    /// Attempts of one question, and the pause between two, ms: a whole copy must not end with one answer.
    private static let attempts = 5
    private static let pauseMilliseconds = 100

    let stream: any ClusterStream
    let node: String
    let leader: String
    let term: UInt64
    let folders: NodeFolders
    let hash: @Sendable ([UInt8]) -> [UInt8]
    let pause: (_ milliseconds: Int) -> Void
    /// Called between two questions; `false` ends the copy.
    let mayGoOn: () -> Bool

    /// - Throws: ``ClusterError/noCopy(_:)`` or ``ClusterError/stream(_:)``: try again later.
    func run() throws(ClusterError) -> Result {
        guard case .began(let number, let sequence) = try ask(.begin(node: node)) else {
            throw .notUnderstood
        }
        let files = try list(number)
        let names = Set(files.map(\.name))
        do throws(DiskError) {
            for name in try folders.names() where !names.contains(name) {
                try folders.disk(of: name).remove(name)
            }
        } catch { throw .disk(error) }
        for file in files { try copy(file, number) }
        do throws(DiskError) {
            try folders.log.synchronizeNames()
            try folders.state.synchronizeNames()
        } catch { throw .disk(error) }
        // What was read may not be in the stream yet, and must be before this node counts.
        guard case .number(let changes) = try ask(.changes(copy: number)) else {
            throw .notUnderstood
        }
        let end = try sequenceThatKeeps(changes, number)
        _ = try ask(.end(copy: number))
        return Result(term: term, number: number, sequence: sequence, end: end)
    }

    private func list(_ number: UInt64) throws(ClusterError) -> [NodeAnswer.ListedFile] {
        var files: [NodeAnswer.ListedFile] = []
        while true {
            guard case .files(let more) = try ask(.list(copy: number, from: files.count)) else {
                throw .notUnderstood
            }
            if more.isEmpty { return files }
            files += more
        }
    }

    private func sequenceThatKeeps(
        _ changes: UInt64, _ number: UInt64
    ) throws(ClusterError) -> UInt64 {
        while true {
            switch try ask(.kept(copy: number, changes: changes)) {
            case .number(let sequence): return sequence
            case .later: pause(Self.pauseMilliseconds)
            default: throw .notUnderstood
            }
        }
    }

    private func copy(_ listed: NodeAnswer.ListedFile, _ number: UInt64) throws(ClusterError) {
        let disk = folders.disk(of: listed.name)
        let file: any DiskFile
        do throws(DiskError) {
            if let own = try disk.openIfThere(listed.name, .write) {
                file = own
            } else {
                file = try disk.open(listed.name, .create)
            }
            // Reserved as the leader's: a block of zeros that both have is not sent.
            try file.truncate(to: listed.bytes)
        } catch { throw .disk(error) }
        let count = NodeQuestion.blocks(ofBytes: listed.bytes)
        var index = 0
        while index < count {
            let question = NodeQuestion.hashes(copy: number, name: listed.name, from: index)
            guard case .bytes(let hashes) = try ask(question), !hashes.isEmpty else { break }
            for theirs in 0..<(hashes.count / Self.hashBytes) where index < count {
                let hash = hashes[(theirs * Self.hashBytes)..<((theirs + 1) * Self.hashBytes)]
                try copyBlock(index, of: file, named: listed.name, unless: hash, number)
                index += 1
            }
        }
        do throws(DiskError) { try file.synchronize() } catch { throw .disk(error) }
    }

    private func copyBlock(
        _ index: Int, of file: any DiskFile, named name: String, unless theirs: ArraySlice<UInt8>,
        _ number: UInt64
    ) throws(ClusterError) {
        let place = index * NodeQuestion.blockBytes
        do throws(DiskError) {
            let own = try file.readUp(to: NodeQuestion.blockBytes, at: place)
            if hash(own).elementsEqual(theirs) { return }
        } catch { throw .disk(error) }
        let question = NodeQuestion.block(copy: number, name: name, index: index)
        guard case .bytes(let bytes) = try ask(question) else { throw .notUnderstood }
        do throws(DiskError) { try file.writeAll(bytes.span, at: place) } catch {
            throw .disk(error)
        }
    }

    private func ask(_ question: NodeQuestion) throws(ClusterError) -> NodeAnswer {
        let answer = try NodeAnswer(decoding: try askPatiently(question.encoded(term: term)))
        if case .refused(let reason) = answer { throw .noCopy(reason) }
        return answer
    }

    /// Asks again where no answer came: a beginning that was answered to nobody is begun anew.
    private func askPatiently(_ question: [UInt8]) throws(ClusterError) -> [UInt8] {
        var attempt = 0
        while true {
            attempt += 1
            guard mayGoOn() else { throw .noCopy("this node stops") }
            do throws(ClusterStreamError) {
                return try stream.ask(node: leader, question)
            } catch {
                guard attempt < Self.attempts, error != .notAuthentic else { throw .stream(error) }
                pause(Self.pauseMilliseconds)
            }
        }
    }
}
