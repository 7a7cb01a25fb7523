/// Bodies of requests and answers.
extension GroupService {
    struct NewGroup: StrictBody {
        static var fields: [String] { ["label", "runner", "scope", "expires"] }

        let label: String?
        let runner: String?
        let scope: ShareBody.ScopeNames?
        let expires: String?
    }

    struct InvitationBody: StrictBody {
        static var fields: [String] { ["expires"] }

        let expires: String?
    }

    struct JoinBody: StrictBody {
        static var fields: [String] { ["invitation", "runner", "scope"] }

        let invitation: String
        let runner: String?
        let scope: ShareBody.ScopeNames?
    }

    struct Member: Encodable {
        let number: UInt32
        let runner: String
        let isOwn: Bool
        /// What it shows of itself.
        let scope: [String]
    }

    struct Row: Encodable {
        let name: String
        let label: NullableField<String>
        /// Whether it is the asking owner's.
        let isOwn: Bool
        let url: NullableField<String>
        let expiresAt: NullableField<Double>
        let members: [Member]
    }

    struct Invitation: Encodable {
        let invitation: String
        /// Page that asks for the friend's token, and joins.
        let url: String
        let expiresAt: Double
    }
}
