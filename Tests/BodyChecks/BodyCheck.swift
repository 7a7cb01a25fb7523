/// What the API reads of strangers, each with what must hold of every input. One source for the
/// mutation tests and for the fuzzer.
///
/// What is accepted lies within its documented ranges, is stored and read back as itself, and takes
/// bounded memory; what is refused says why, in bounded bytes.
package enum BodyCheck: String, CaseIterable, Sendable {
    /// `PUT /v1/me/profile`
    case profile
    /// `PUT /v1/me/zones`, `POST /v1/me/zones`
    case zones
    /// `PUT /v1/me/course`
    case course
    /// `POST /v1/shares`
    case share
    /// A text message of a WebSocket viewer.
    case command
    /// What stands after the `?` of `/live`, `/events`, `/history`, `heartRate.json` and lists.
    case query
    /// A text message on HypeRate's socket.
    case hyperate

    /// - Returns: What does not hold; `nil`: all holds.
    package func breach(by bytes: [UInt8]) -> String? {
        do throws(Breach) {
            switch self {
            case .profile: try ProfileCheck.run(bytes)
            case .zones: try ZonesCheck.run(bytes)
            case .course: try CourseCheck.run(bytes)
            case .share: try ShareCheck.run(bytes)
            case .command: try CommandCheck.run(bytes)
            case .query: try QueryCheck.run(bytes)
            case .hyperate: try HypeRateCheck.run(bytes)
            }
        } catch { return error.what }
        return nil
    }

    /// Valid inputs to begin from.
    package var seeds: [[UInt8]] {
        texts.map { Array($0.utf8) }
    }

    private var texts: [String] {
        switch self {
        case .profile: ProfileCheck.seeds
        case .zones: ZonesCheck.seeds
        case .course: CourseCheck.seeds
        case .share: ShareCheck.seeds
        case .command: CommandCheck.seeds
        case .query: QueryCheck.seeds
        case .hyperate: HypeRateCheck.seeds
        }
    }
}

struct Breach: Error {
    let what: String
}

/// - Throws: ``Breach`` unless `holds`.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Breach) {
    guard holds else { throw Breach(what: what()) }
}
