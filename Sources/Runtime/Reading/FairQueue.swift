/// Waiting jobs in round-robin order: one job per party, and within a party one per requester.
///
/// A share with a thousand readers, or a reader with a thousand requests, delays others by no more
/// than its turns. The queue is bounded in total, per party and per requester. When it is full, the
/// newest job of the party with most is evicted for a job of a party with few. So parties that
/// filled the queue together cannot keep another out.
package struct FairQueue<Party: Hashable & Sendable, Requester: Hashable & Sendable, Job: Sendable>:
    Sendable
{
    private struct Waiting: Sendable {
        var jobs: [Requester: [(number: UInt64, job: Job)]] = [:]
        /// Requesters; the next one is first.
        var order: [Requester] = []
        var count: Int { jobs.values.reduce(0) { $0 + $1.count } }

        /// Removes the newest job of the requester that has most.
        mutating func removeLast() -> Job? {
            guard let requester = jobs.max(by: { $0.value.count < $1.value.count })?.key else {
                return nil
            }
            let removed = jobs[requester]?.removeLast()
            dropUnused(requester)
            return removed?.job
        }

        mutating func dropUnused(_ requester: Requester) {
            guard jobs[requester]?.isEmpty == true else { return }
            jobs[requester] = nil
            order.removeAll { $0 == requester }
        }
    }

    private var parties: [Party: Waiting] = [:]
    /// Parties; the next one is first.
    private var order: [Party] = []
    package private(set) var count = 0
    private let countMax: Int
    /// Jobs of one party: a quarter, so that other parties have room.
    private var perPartyMax: Int { max(perRequesterMax, countMax / 4) }
    private let perRequesterMax: Int

    package enum Refusal: Error, Hashable {
        case full
        case requesterFull
        case partyFull
    }

    /// - Parameters:
    ///   - countMax: Waiting jobs in total.
    ///   - perRequesterMax: Waiting jobs of one requester of one party.
    package init(countMax: Int, perRequesterMax: Int) {
        precondition(countMax >= perRequesterMax && perRequesterMax > 0)
        self.countMax = countMax
        self.perRequesterMax = perRequesterMax
    }

    /// - Parameters:
    ///   - job: Job to run.
    ///   - number: Number of the job, for its removal.
    ///   - party: Party whose turn it takes.
    ///   - requester: Requester within the party.
    /// - Returns: The evicted job, which must be refused; `nil`: none.
    /// - Throws: ``Refusal``
    package mutating func append(
        _ job: Job, number: UInt64, of party: Party, from requester: Requester
    ) throws(Refusal) -> Job? {
        guard parties[party]?.jobs[requester]?.count ?? 0 < perRequesterMax else {
            throw .requesterFull
        }
        guard parties[party]?.count ?? 0 < perPartyMax else { throw .partyFull }
        let displaced = count < countMax ? nil : displace(for: party)
        guard count < countMax else { throw .full }
        if parties[party] == nil {
            parties[party] = Waiting()
            order.append(party)
        }
        if parties[party]?.jobs[requester] == nil { parties[party]?.order.append(requester) }
        parties[party]?.jobs[requester, default: []].append((number, job))
        count += 1
        return displaced
    }

    /// Evicts a job of the party with most, unless that party would then have fewer than `party`.
    private mutating func displace(for party: Party) -> Job? {
        // Usually each party has one job; then no search among thousands is needed.
        guard count > parties.count else { return nil }
        let counts = parties.mapValues(\.count)
        guard let most = counts.max(by: { $0.value < $1.value }),
            most.value > (counts[party] ?? 0) + 1
        else { return nil }
        let removed = parties[most.key]?.removeLast()
        count -= 1
        return removed
    }

    /// - Parameter isReady: Whether a party may run another job now.
    /// - Returns: The next job; `nil` when no ready party has one.
    package mutating func next(_ isReady: (Party) -> Bool) -> (party: Party, job: Job)? {
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

    /// - Returns: The job, unless it was already taken.
    package mutating func remove(_ number: UInt64, of party: Party, from requester: Requester)
        -> Job?
    {
        guard var waiting = parties[party],
            let index = waiting.jobs[requester]?.firstIndex(where: { $0.number == number }),
            let removed = waiting.jobs[requester]?.remove(at: index)
        else { return nil }
        count -= 1
        waiting.dropUnused(requester)
        if waiting.order.isEmpty {
            parties[party] = nil
            order.removeAll { $0 == party }
        } else {
            parties[party] = waiting
        }
        return removed.job
    }
}
