package import Transport

/// What a node says of its cluster, on the admin socket.
package struct ClusterRoutes: Sendable {
    private let report: @Sendable () -> ClusterReport?
    private let stepDown: @Sendable () -> Bool

    /// - Parameters:
    ///   - report: `nil`: the daemon is in no cluster, or has just started.
    ///   - stepDown: Lets another node lead; returns whether this one leads.
    package init(
        report: @escaping @Sendable () -> ClusterReport?,
        stepDown: @escaping @Sendable () -> Bool = { false }
    ) {
        self.report = report
        self.stepDown = stepDown
    }

    package func add(to router: inout Router) {
        router.add(.get, "/cluster") { _ in
            guard let report = report() else {
                return .failure(
                    status: 404,
                    reason: "this daemon is in no cluster: set cluster.urls and cluster.node")
            }
            return JSONBody.response(report)
        }
        router.add(.post, "/cluster/step-down") { _ in
            guard stepDown() else {
                return .failure(
                    status: 409, reason: "this node does not lead: ask the one that does")
            }
            return HTTPResponse(status: 204)
        }
    }
}
