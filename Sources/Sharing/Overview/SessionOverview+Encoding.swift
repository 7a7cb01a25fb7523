import SensorModel

extension SessionOverview {
    /// Encodes the overview.
    ///
    /// - Parameters:
    ///   - points: Maximum number of points, from 1.
    ///   - runner: Name of the runner in a group.
    ///   - parts: What is wanted of it.
    /// - Returns: One JSON object.
    public func json(
        points: Int, runner: String?, parts: OverviewParts = .all
    ) -> [UInt8] {
        let (seconds, kept) = thinned(to: points)
        var json = ViewerJSON(reserving: 64 * kept.count + 512)
        JSONObject.write(to: &json) { object, json in
            object.text("type", "overview", &json)
            object.text("runner", runner, &json)
            object.key("cursor", &json)
            if let newest {
                json.text(LogCursor(epoch: encoder.epoch, offset: newest).description)
            } else {
                json.raw("null")
            }
            object.integer("stepSeconds", Int(seconds), &json)
            let start = kept.first.map { Self.milliseconds(times[$0]) } ?? 0
            if !kept.isEmpty {
                object.key("start", &json)
                json.number(Double(start) / 1000, decimals: Decimals.time)
            }
            object.key("points", &json)
            JSONObject.write(to: &json) { object, json in
                object.key("seconds", &json)
                Self.write(kept, to: &json) { index, json in
                    Self.write(milliseconds: Self.milliseconds(times[index]) - start, to: &json)
                }
                for (column, values) in columns where parts.contains(column) {
                    object.key(column.name, &json)
                    Self.write(kept, to: &json) { index, json in
                        Self.write(values[index], decimals: column.decimals, to: &json)
                    }
                }
            }
            guard parts.hasEvents else { return }
            object.key("events", &json)
            Self.write(eventItems, to: &json) { $1.raw($0) }
            object.integer("eventsOmitted", omittedEvents, &json)
        }
        return json.bytes
    }

    /// The points to show: the newest of each time step, which is a multiple of the stored one.
    private func thinned(to points: Int) -> (seconds: Int64, kept: [Int]) {
        var factor = Int64(max(1, (count + points - 1) / max(1, points)))
        while true {
            let kept = newestPoints(of: stepSeconds * factor)
            guard kept.count > points, kept.count > 1 else {
                return (stepSeconds * factor, kept)
            }
            // Pauses between the points need a longer step than their number tells.
            factor += max(1, factor / 4)
        }
    }

    private static func milliseconds(_ time: Timestamp) -> Int64 {
        Int64((Double(time.microseconds) / 1000).rounded())
    }

    private static func write<Element>(
        _ list: [Element], to json: inout ViewerJSON,
        _ body: (Element, inout ViewerJSON) -> Void
    ) {
        json.raw("[")
        for (index, element) in list.enumerated() {
            if index > 0 { json.raw(",") }
            body(element, &json)
        }
        json.raw("]")
    }

    private static func write(milliseconds: Int64, to json: inout ViewerJSON) {
        if milliseconds % 1000 == 0 {
            json.integer(milliseconds / 1000)
        } else {
            json.number(Double(milliseconds) / 1000, decimals: Decimals.time)
        }
    }

    private static func write(_ value: Int32, decimals: Int, to json: inout ViewerJSON) {
        if value == missing {
            json.raw("null")
        } else {
            json.number(Double(value) / powersOfTen[decimals], decimals: decimals)
        }
    }
}
