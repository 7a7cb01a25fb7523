/// How a broker is reached, and what is asked of it.
package struct BrokerSettings: Sendable {
    package var host: String
    package var port: Int
    /// PEM file of the authorities that may sign the broker's certificate; `nil`: no TLS.
    package var authoritiesFile: String?
    package var user: String?
    package var password: String?
    /// Name of this client at the broker; a second client of the same name ends the first.
    package var clientID: String
    /// Says `online` or, by the client's will, `offline`.
    package var statusTopic: String
    /// Topic filters of the client's own retained messages, of an earlier run too.
    package var ownTopics: [String]
    /// Topics whose messages are taken, each as its exact name.
    package var topics: [String]

    package init(
        host: String, port: Int, authoritiesFile: String? = nil, user: String? = nil,
        password: String? = nil, clientID: String, statusTopic: String, ownTopics: [String],
        topics: [String]
    ) {
        self.host = host
        self.port = port
        self.authoritiesFile = authoritiesFile
        self.user = user
        self.password = password
        self.clientID = clientID
        self.statusTopic = statusTopic
        self.ownTopics = ownTopics
        self.topics = topics
    }
}
