import Testing

@testable import Transport

struct DeadlineWheelTests {
    final class Member: DeadlineMember {
        var calls: [Int] = []
        var next: Int?
        func deadlineReached(_ tick: Int) -> Int? {
            calls.append(tick)
            return next
        }
    }

    @Test func `Deadlines move, repeat and end`() {
        let wheel = DeadlineWheel(tick: 1000)
        let later = Member()
        let sooner = Member()
        let repeating = Member()
        repeating.next = 200
        var deadlines: [Deadline?] = [nil, nil, nil]
        wheel.set(&deadlines[0], of: later, inSeconds: 5)
        wheel.set(&deadlines[0], of: later, inSeconds: 300)
        wheel.set(&deadlines[1], of: sooner, inSeconds: 60)
        wheel.set(&deadlines[1], of: sooner, inSeconds: 2)
        wheel.set(&deadlines[2], of: repeating, inSeconds: 1)
        wheel.advance(to: 1500)
        #expect(later.calls == [1300] && sooner.calls == [1002])
        #expect(repeating.calls == [1001, 1201, 1401])
        deadlines[2]?.cancel()
        wheel.advance(to: 2500)
        #expect(repeating.calls.count == 3 && wheel.count == 0)
    }

    @Test func `A cancelled deadline leaves nothing behind`() {
        let wheel = DeadlineWheel(tick: 7)
        let member = Member()
        var deadline: Deadline?
        for _ in 0..<1000 {
            wheel.set(&deadline, of: member, inSeconds: 75)
            deadline?.cancel()
            #expect(wheel.count == 0)
        }
        wheel.set(&deadline, of: member, inSeconds: 75)
        wheel.set(&deadline, of: member, inSeconds: 10)
        #expect(wheel.count == 1)
        wheel.advance(to: 100)
        #expect(member.calls == [17] && wheel.count == 0)
    }

    /// Changes the wheel from within the wheel's callback.
    final class Meddler: DeadlineMember {
        var deadline: Deadline?
        var meddle: (() -> Int?)?
        var calls: [Int] = []

        func deadlineReached(_ tick: Int) -> Int? {
            calls.append(tick)
            return meddle?()
        }
    }

    @Test(arguments: 1...20)
    func `Whatever members do while they are called, each is called when it is due`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let wheel = DeadlineWheel(tick: 0)
        let members = (0..<40).map { _ in Meddler() }
        var due = [Int?](repeating: nil, count: members.count)
        var expected = [[Int]](repeating: [], count: members.count)
        func set(_ index: Int) {
            let seconds = 1 + Int(random.next() % 300)
            wheel.set(&members[index].deadline, of: members[index], inSeconds: seconds)
            due[index] = wheel.tick + seconds
        }
        func cancel(_ index: Int) {
            members[index].deadline?.cancel()
            due[index] = nil
        }
        for index in members.indices {
            members[index].meddle = {
                expected[index].append(wheel.tick)
                #expect(due[index] == wheel.tick)
                due[index] = nil
                let other = Int(random.next() % 40)
                cancel(other)
                switch random.next() % 3 {
                case 0: return nil
                case 1:
                    set(index)
                    return 1
                default:
                    // A member that cancelled itself is not called again, whatever it returns.
                    let seconds = 1 + Int(random.next() % 300)
                    due[index] = other == index ? nil : wheel.tick + seconds
                    return seconds
                }
            }
        }
        for tick in 1...1000 {
            let index = Int(random.next() % 40)
            if random.next() % 3 == 0 { cancel(index) } else { set(index) }
            wheel.advance(to: tick)
            #expect(wheel.count == due.count { $0 != nil })
            #expect(due.allSatisfy { $0 ?? .max > tick })
        }
        #expect(members.map(\.calls) == expected && expected.joined().count > 50)
    }
}
