import Compression
import Runtime
import SensorModel
import Sessions
import Sharing
import Transport

/// The session thinned to what a screen can show, for pages that are being opened.
extension ShareRoutes {
    func overview(_ request: HTTPRequest) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            do {
                let query = try OverviewQuery(request.query)
                let isCompressed = request.acceptsGzip
                let answer = try await overview(of: share, query, isCompressed, request.peer)
                var response = Self.noStore(.json(answer))
                if isCompressed { response.fields.append("Content-Encoding", "gzip") }
                response.fields.append("Vary", "Accept-Encoding")
                return response
            } catch let refusal as APIRefusal {
                return refusal.response
            } catch { return ReadAnswer.response(to: error) }
        }
    }

    private func overview(
        of share: Share, _ query: OverviewQuery, _ isCompressed: Bool, _ peer: PeerAddress
    ) async throws -> [UInt8] {
        let members = members(of: share)
        let inGroup = share.device == nil
        let wanted = inGroup ? members.firstIndex { $0.runnerName == query.runner } : 0
        guard let wanted, members.indices.contains(wanted) else {
            throw APIRefusal.badField(name: "runner", allowed: "a runner of the group")
        }
        let sources = try await sources(of: members, after: nil, for: share, peer)
        let reader = pipeline.reader
        let request = ShareReader.OverviewRequest(
            sources: sources, wanted: wanted, points: query.points, parts: query.parts,
            inGroup: inGroup, isCompressed: isCompressed)
        var answer = reader.knownOverview(request)
        if answer == nil {
            // Records that a failed disk holds back are absent; history has them later.
            let source = sources[wanted]
            if source.share.delaySeconds == 0 { _ = await reader.isReadable(through: source.end) }
            answer = try await reader.pool.run(for: .share(share.key), from: .address(peer.key)) {
                try reader.overview(request, compress: { Gzip.compress($0, effort: .usual) }, $0)
            }
        }
        guard let answer else { throw ReadRefusal.cancelled }
        try await confirm([sources[wanted]], for: share)
        return answer
    }
}
