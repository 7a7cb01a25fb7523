/// Input that the API reads from untrusted clients, each kind with its invariants; shared by
/// mutation tests and fuzzer.
///
/// Accepted input is within its documented ranges, round-trips through storage, and takes bounded
/// memory. A refusal gives its reason in a bounded number of bytes.
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
    /// The query string of `/live`, `/events`, `/history`, `heartRate.json` and lists.
    case query
    /// A text message on HypeRate's socket.
    case hyperate

    /// - Returns: A description of the violated invariant; `nil` if all hold.
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
