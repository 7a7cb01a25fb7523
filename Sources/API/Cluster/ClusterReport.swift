import Runtime

/// What a node says of its cluster: `pulsecast cluster status`, and the metrics.
public struct ClusterReport: Hashable, Sendable, Codable {
    public struct Node: Hashable, Sendable, Codable {
        public var node: String
        /// `following`, or `copying`: it cannot lead yet.
        public var state: String
        /// Messages of the stream that it has not applied.
        public var behind: Int
        /// Seconds since it said so.
        public var reportedSeconds: Double

        public init(node: String, state: String, behind: Int, reportedSeconds: Double) {
            self.node = node
            self.state = state
            self.behind = behind
            self.reportedSeconds = reportedSeconds
        }
    }

    public var node: String
    /// The node that leads; empty: this node does not know one.
    public var leader: String
    /// `leading`, `following` or `copying`.
    public var state: String
    /// The last message of the stream that this node has sent or applied.
    public var sequence: UInt64
    /// Bytes of changes that the stream does not have yet; 0 for a node that does not lead.
    public var waitingBytes: Int
    /// Seconds since the stream's last answer.
    public var silentSeconds: Double
    /// Empty: none.
    public var trouble: String
    /// The other nodes that have reported to this one, which leads.
    public var nodes: [Node]

    public init(
        node: String, leader: String, state: String, sequence: UInt64, waitingBytes: Int,
        silentSeconds: Double, trouble: String, nodes: [Node]
    ) {
        self.node = node
        self.leader = leader
        self.state = state
        self.sequence = sequence
        self.waitingBytes = waitingBytes
        self.silentSeconds = silentSeconds
        self.trouble = trouble
        self.nodes = nodes
    }

    /// Metrics of a node, whether it leads or not.
    public var metrics: String {
        var text = MetricsText()
        text.gauge(
            "pulsecast_cluster_leading", "1: this node leads its cluster.",
            state == "leading" ? 1 : 0)
        text.gauge(
            "pulsecast_cluster_sequence", "Last message of the stream sent or applied here.",
            Double(sequence))
        text.gauge(
            "pulsecast_cluster_waiting_bytes", "Changes that the stream does not have yet.",
            Double(waitingBytes))
        text.gauge(
            "pulsecast_cluster_silent_seconds", "Time since the stream's last answer.",
            silentSeconds)
        let behind = nodes.map { ("node=\"\($0.node)\"", $0.behind) }
        if !behind.isEmpty {
            text.labelled(
                "pulsecast_cluster_behind_messages", "Messages that a node has not applied.",
                type: "gauge", series: behind)
        }
        return text.text
    }
}
