extension Design {
    private static let zone = Design("zone 200", zoneRadius: 200)
    private static let trim = Design("trim 300", trimMeters: 300)
    private static let both = Design("zone 200, trim 300", zoneRadius: 200, trimMeters: 300)

    /// The product, with an owner's usual settings.
    public static let product = [zone, trim, both]

    /// The product, with an owner who changes a zone.
    public static let changing = [
        zone.changed("moved 3 times") {
            $0.zoneRadii = [200, 200, 200, 200]
            $0.zoneShift = 15
        },
        zone.changed("removed and added 3 times") { $0.zoneRadii = [200, 200, 200, 200] },
        zone.changed("radius changed") { $0.zoneRadii = [200, 100, 300, 500] },
    ]

    /// Designs with one mistake each, which the attacks must find.
    public static let leaking = [
        zone.changed("hidden counts") { $0.hiddenRests = false },
        trim.changed("hidden counts") { $0.hiddenRests = false },
        zone.changed("end told at once") { $0.tellsEnd = true },
        zone.changed("begin and end told") {
            $0.tellsBeginning = true
            $0.tellsEnd = true
        },
        zone.changed("moved 3 times, offset drawn anew") {
            $0.zoneRadii = [200, 200, 200, 200]
            $0.zoneShift = 15
            $0.offset = .drawn
        },
        zone.changed("cursors count") { $0.countsRecords = true },
        zone.changed("second share tells all") { $0.hasSecondShare = true },
    ]

    /// A finish that is held back for a fixed time, or never shown.
    public static let late = [600.0, 900, 1200, 1800].map { seconds in
        trim.changed("always \(Int(seconds)) s late") { $0.lateSeconds = seconds }
    }

    /// Other constants for the circles, with the plain reference code.
    public static let otherCircles =
        [both.changed("an offset each") { $0.offset = .drawn }]
        + [220.0...360.0, 220...700, 450...850, 500...900].map { ring in
            zone.changed("ring \(Int(ring.lowerBound))...\(Int(ring.upperBound))") {
                $0.offsetRing = ring
                $0.widening = ring.upperBound
            }
        }
        + [1000.0, 1500, 2500].map { widening in
            zone.changed("widened by \(Int(widening))") { $0.widening = widening }
        }
        + [100.0, 200, 400].map { edge in
            zone.changed("edge wanders \(Int(edge)) m") { $0.edgeMeters = edge }
        }

    /// Sets of designs by name.
    public static let sets = [
        "product": product, "changing": changing, "leaking": leaking, "late": late,
        "circles": otherCircles, "all": product + changing + leaking + late + otherCircles,
    ]
}
