import SensorModel
import Testing

@testable import Sharing

/// One view for many shares, compared with a separate view for each.
@Suite struct DelayedViewTests {
    /// A share with its own view.
    private struct Alone {
        let share: Share
        var view: ShareView?
        var events: [[UInt8]] = []
    }

    /// Shares of one kind that are added and removed during a session.
    private struct Model {
        var delayed: DelayedView
        var alone: [Alone] = []
        var events: [ShareKey: [[UInt8]]] = [:]
        var begun: [ShareKey: Int] = [:]

        init?(_ kind: Share) {
            guard let kind = DelayedView.Kind(kind) else { return nil }
            delayed = DelayedView(kind)
        }

        mutating func add(_ share: Share) {
            delayed.add(share)
            delayed.watch(share.key, true)
            alone.append(Alone(share: share))
        }

        mutating func remove(at index: Int) {
            delayed.remove(alone[index].share.key)
            alone.remove(at: index)
        }

        mutating func take(_ update: SessionUpdate, of views: SessionViews, at now: Timestamp) {
            var everything = views.fields(hidingPlaces: true).everything
            everything.event = update.event
            if delayed.accepts(update) {
                delayed.take(
                    delayed.showing == update.session ? update : everything,
                    beginning: delayed.newcomers, after: update.cursor.offset, arrival: now,
                    at: now, holding: HeldUpdates.countMax)
            }
            for index in alone.indices {
                let isNew = alone[index].view == nil
                var view =
                    alone[index].view
                    ?? ShareView(alone[index].share, cursor: update.cursor, at: now)
                _ = view.take(isNew ? everything : update, at: now)
                alone[index].view = view
            }
        }

        mutating func release(at now: Timestamp) {
            for release in delayed.release(at: now) {
                for key in release.shares {
                    if let event = release.update.event { events[key, default: []].append(event) }
                    if release.update.begins { begun[key, default: 0] += 1 }
                }
            }
            for index in alone.indices {
                for update in alone[index].view?.releaseAll(at: now) ?? [] {
                    if let event = update.event { alone[index].events.append(event) }
                }
            }
        }

        mutating func clockWentBack(byMicroseconds difference: Int64) {
            delayed.clockWentBack(byMicroseconds: difference)
            for index in alone.indices {
                alone[index].view?.clockWentBack(byMicroseconds: difference)
            }
        }

        func difference() -> String? {
            for one in alone {
                guard let view = one.view else { continue }
                let together = delayed.snapshot(
                    of: one.share.key, epoch: 1, at: Fixture.time(0))
                guard together?.session == view.snapshot.session else { return "the session" }
                guard together?.session != nil else { continue }
                let fields = view.snapshot.fields.map(\.bytes)
                guard together?.fields.map(\.bytes) == fields else { return "the fields" }
                guard together?.cursor == view.snapshot.cursor else { return "the cursor" }
                guard events[one.share.key] ?? [] == one.events else { return "the events" }
                guard begun[one.share.key] == 1 else { return "its beginning" }
            }
            return nil
        }
    }

    private static func event(_ second: Int, _ generator: inout SeededGenerator) -> StreamEvent {
        guard Int.random(in: 0..<4, using: &generator) > 0 else {
            return StreamEvent(deviceTime: Fixture.time(Double(second)), kind: .marker("\(second)"))
        }
        return SessionProjectionTests.metrics(
            second, at: SessionProjectionTests.home.moved(east: Double(second), north: 0))
    }

    @Test(arguments: UInt64(1)...40)
    func `Each of many shares shows what it would show with a queue of its own`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let scope = Scope(rawValue: .random(in: 1...7, using: &generator))
        func share(_ number: Int) -> Share {
            Fixture.share(UInt32(number), scope: scope, delaySeconds: 30)
        }
        var model = try #require(Model(share(1)))
        var views = SessionViews(session: Fixture.session, epoch: 1, privacy: .none)
        views.note(.beginning)
        var clock = 0.0
        var made = 0
        for second in 0..<300 {
            if Int.random(in: 0..<20, using: &generator) == 0 {
                made += 1
                model.add(share(made))
            }
            if Int.random(in: 0..<40, using: &generator) == 0, !model.alone.isEmpty {
                model.remove(at: .random(in: 0..<model.alone.count, using: &generator))
            }
            if Int.random(in: 0..<60, using: &generator) == 0 {
                clock -= 100
                model.clockWentBack(byMicroseconds: 100_000_000)
            }
            let now = Fixture.time(Double(second) + clock)
            model.release(at: now)
            let updates = views.take(
                Self.event(second, &generator), at: RecordOffset(rawValue: UInt64(second + 1)),
                arrival: now)
            model.take(updates.everything, of: views, at: now)
            #expect(model.difference() == nil, "seed \(seed), second \(second)")
        }
        model.release(at: Fixture.time(100_000))
        #expect(model.difference() == nil, "seed \(seed)")
        #expect(model.delayed.heldCount == 0 && model.delayed.nextDeadline == nil)
    }

    @Test func `Who asks before anything comes waits for its delay, and is told once`() throws {
        let (first, late) = (
            Fixture.share(1, delaySeconds: 30), Fixture.share(2, delaySeconds: 30)
        )
        var delayed = DelayedView(try #require(DelayedView.Kind(first)))
        var views = SessionViews(session: Fixture.session, epoch: 1, privacy: .none)
        views.note(.beginning)
        func take(_ second: Int, beginning: [Share]) {
            let updates = views.take(
                SessionProjectionTests.metrics(second, at: nil),
                at: RecordOffset(rawValue: UInt64(second)), arrival: Fixture.time(Double(second)))
            delayed.take(
                updates.everything, beginning: beginning, after: RecordOffset(rawValue: 0),
                arrival: Fixture.time(Double(second)), at: Fixture.time(Double(second)),
                holding: HeldUpdates.countMax)
        }
        delayed.add(first)
        delayed.add(late)
        for key in [first.key, late.key] { delayed.watch(key, true) }
        take(1, beginning: [first])
        delayed.start(late.key, at: RecordOffset(rawValue: 1), now: Fixture.time(10))
        delayed.begin(late.key, cursor: Fixture.cursor(1), at: Fixture.time(10))
        #expect(delayed.newcomers.isEmpty)
        #expect(delayed.nextDeadline == Fixture.time(31))
        #expect(delayed.release(at: Fixture.time(31)).map(\.shares) == [[first.key]])
        #expect(delayed.snapshot(of: late.key, epoch: 1, at: Fixture.time(39))?.session == nil)
        #expect(delayed.nextDeadline == Fixture.time(40))
        let begins = delayed.release(at: Fixture.time(40))
        #expect(begins.map(\.shares) == [[late.key]])
        #expect(begins.first?.update.begins == true)
        #expect(
            delayed.snapshot(of: late.key, epoch: 1, at: Fixture.time(40))?.session
                == Fixture.session)
        #expect(delayed.nextDeadline == nil)
        // The late share is dropped and becomes a newcomer; without any share the view is removed.
        delayed.reset(late.key)
        #expect(delayed.newcomers.map(\.key) == [late.key])
        #expect(delayed.showing == Fixture.session)
        delayed.reset(first.key)
        #expect(delayed.showing == nil && delayed.heldCount == 0)
    }

    /// The first of two sessions is erased: before it is due, while shown with the second held
    /// back, or long after.
    @Test(arguments: [(20.0, true), (35, true), (45, false)])
    func `Nothing of an erased session is shown, and the next comes as it would`(
        erasedAt: Double, wasSeen: Bool
    ) throws {
        let share = Fixture.share(delaySeconds: 30)
        var delayed = DelayedView(try #require(DelayedView.Kind(share)))
        delayed.add(share)
        delayed.watch(share.key, true)
        let sessions = [SessionID(high: 1, low: 1), SessionID(high: 2, low: 1)]
        for (index, session) in sessions.enumerated() {
            var views = SessionViews(session: session, epoch: 1, privacy: .none)
            views.note(.beginning)
            for second in (10 * index + 1)...(10 * index + 5) {
                let time = Fixture.time(Double(second))
                let updates = views.take(
                    SessionProjectionTests.metrics(second, at: nil),
                    at: RecordOffset(rawValue: UInt64(second)), arrival: time)
                delayed.take(
                    updates.everything, beginning: delayed.newcomers,
                    after: RecordOffset(rawValue: 0), arrival: time, at: time,
                    holding: HeldUpdates.countMax)
            }
        }
        _ = delayed.release(at: Fixture.time(erasedAt))
        #expect(delayed.erase(sessions[0]) == (wasSeen ? [share.key] : []))
        delayed.watch(share.key, true)
        func shown(_ second: Double) -> SessionID? {
            delayed.snapshot(of: share.key, epoch: 1, at: Fixture.time(second))?.session
        }
        #expect(shown(erasedAt) == (wasSeen ? nil : sessions[1]))
        #expect(delayed.release(at: Fixture.time(40.9)).isEmpty)
        let rest = delayed.release(at: Fixture.time(60))
        #expect(rest.count == (wasSeen ? 5 : 0))
        #expect(rest.first?.update.begins ?? true)
        #expect(shown(60) == sessions[1])
    }
}
