/// All evidence from a device's shown runs, placed on the town's map.
struct Evidence {
    let cuts: [[Cut]]
    /// One for each street on which tracks are cut.
    private(set) var crossings = Crossings()
    /// Crossing and place beyond it, for the first and the last cut of each run.
    private(set) var ends: [End] = []
    /// Some of the shown positions, one for each 40 m.
    let shown: [Spot]

    struct End {
        let run: Int
        let cut: Cut
        let crossing: Int
        /// `nil` if the track beyond the cut is too short.
        let beyond: Int?
    }

    private(set) var beyonds = Crossings()

    init(_ runs: [ShownRun]) {
        cuts = runs.map(Cut.all)
        shown = Self.thinned(runs)
        for (run, cuts) in cuts.enumerated() {
            for cut in cuts {
                let crossing = crossings.add(cut.spot)
                guard cut.side != .middle else { continue }
                let beyond = cut.beyondMeters > 250 ? beyonds.add(cut.beyond) : nil
                ends.append(End(run: run, cut: cut, crossing: crossing, beyond: beyond))
            }
        }
    }

    private static func thinned(_ runs: [ShownRun]) -> [Spot] {
        var seen: Set<Int> = []
        var spots: [Spot] = []
        for run in runs {
            for index in stride(from: 0, to: run.points.count, by: 8) {
                let spot = run.points[index].spot
                let column = Int((spot.east / 40).rounded())
                if seen.insert(column * 65536 + Int((spot.north / 40).rounded())).inserted {
                    spots.append(spot)
                }
            }
        }
        return spots
    }

    var cutSpots: [Spot] { cuts.joined().map(\.spot) }
}
