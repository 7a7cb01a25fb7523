/// Waiting jobs, taken in turn: of each party one, and within a party of each of its requesters one.
///
/// So neither a share with a thousand readers nor a reader with a thousand requests makes others wait
/// for more than their turn. Bounded in all and a reader.
struct FairQueue<Party: Hashable & Sendable, Requester: Hashable & Sendable, Job: Sendable>:
    Sendable
{
    private struct Waiting: Sendable {
        var jobs: [Requester: [(number: UInt64, job: Job)]] = [:]
        /// Whose turn it is comes first.
        var order: [Requester] = []
    }

    private var parties: [Party: Waiting] = [:]
    /// Whose turn it is comes first.
    private var order: [Party] = []
    private(set) var count = 0
    private let countMax: Int
    private let perRequesterMax: Int

    enum Refusal: Error, Hashable {
        case full
        case requesterFull
    }

    /// - Parameters:
    ///   - countMax: Jobs that wait, in all.
    ///   - perRequesterMax: Of one requester of one party.
    init(countMax: Int, perRequesterMax: Int) {
        precondition(countMax >= perRequesterMax && perRequesterMax > 0)
        self.countMax = countMax
        self.perRequesterMax = perRequesterMax
    }

    /// - Parameters:
    ///   - job: To be done.
    ///   - number: Names the job, to remove it again.
    ///   - party: Whose turn it takes.
    ///   - requester: Who of the party.
    /// - Throws: ``Refusal``
    mutating func append(
        _ job: Job, number: UInt64, of party: Party, from requester: Requester
    ) throws(Refusal) {
        guard parties[party]?.jobs[requester]?.count ?? 0 < perRequesterMax else {
            throw .requesterFull
        }
        guard count < countMax else { throw .full }
        if parties[party] == nil {
            parties[party] = Waiting()
            order.append(party)
        }
        if parties[party]?.jobs[requester] == nil { parties[party]?.order.append(requester) }
        parties[party]?.jobs[requester, default: []].append((number, job))
        count += 1
    }

    /// - Parameter isReady: Whether a party may have another job done now.
    /// - Returns: The next job; `nil` when no party that is ready has one.
    mutating func next(_ isReady: (Party) -> Bool) -> (party: Party, job: Job)? {
        guard let place = order.firstIndex(where: isReady) else { return nil }
        let party = order.remove(at: place)
        guard var waiting = parties[party], !waiting.order.isEmpty else { return nil }
        let requester = waiting.order.removeFirst()
        guard let first = waiting.jobs[requester]?.removeFirst() else { return nil }
        count -= 1
        if waiting.jobs[requester]?.isEmpty == true {
            waiting.jobs[requester] = nil
        } else {
            waiting.order.append(requester)
        }
        if waiting.order.isEmpty {
            parties[party] = nil
        } else {
            parties[party] = waiting
            order.append(party)
        }
        return (party, first.job)
    }

    /// - Returns: The job, unless it was taken.
    mutating func remove(_ number: UInt64, of party: Party, from requester: Requester) -> Job? {
        guard var waiting = parties[party],
            let index = waiting.jobs[requester]?.firstIndex(where: { $0.number == number }),
            let removed = waiting.jobs[requester]?.remove(at: index)
        else { return nil }
        count -= 1
        if waiting.jobs[requester]?.isEmpty == true {
            waiting.jobs[requester] = nil
            waiting.order.removeAll { $0 == requester }
        }
        if waiting.order.isEmpty {
            parties[party] = nil
            order.removeAll { $0 == party }
        } else {
            parties[party] = waiting
        }
        return removed.job
    }
}
