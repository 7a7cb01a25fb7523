/// The questions that nodes ask each other. All calls block their thread, at most some seconds.
public protocol NodeConversation: Sendable {
    /// Asks a node.
    ///
    /// - Returns: Its answer, at most ``ClusterLimits/messageBytesMax`` bytes.
    func ask(node: String, _ question: [UInt8]) throws(ClusterStreamError) -> [UInt8]

    /// Answers the questions to a node, on a thread of the stream's, until ``stopAnswering()``.
    func answer(
        as node: String, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws(ClusterStreamError)

    func stopAnswering()
}
