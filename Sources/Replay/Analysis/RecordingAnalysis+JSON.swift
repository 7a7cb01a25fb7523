import SensorModel

extension RecordingAnalysis {
    /// The object of `analyze --json` (contract, section 8). A missing value is `null`, never 0.
    public var jsonText: String {
        var text = AnalysisJSON()
        text.reserve(series.count * 160 + 4096)
        text.object {
            $0.key("summary")
            $0.object { writeSummary(to: &$0) }
            $0.key("pauses")
            $0.array(pauses) { pause, text in
                text.object {
                    $0.number("start", pause.start, digits: 3)
                    $0.number("end", pause.end, digits: 3)
                    $0.string("kind", pause.automatic ? "auto" : "manual")
                }
            }
            $0.key("splits")
            $0.array(splits) { split, text in
                text.object {
                    $0.integer("km", split.number)
                    $0.number("seconds", split.seconds, digits: 2)
                    $0.number("averageHeartRate", split.averageHeartRate, digits: 1)
                    $0.number("elevationMeters", split.elevationMeters, digits: 1)
                }
            }
            $0.key("checkpoints")
            $0.array(checkpoints) { reached, text in
                text.object {
                    $0.text("checkpoint", reached.checkpoint)
                    $0.number("elapsedSeconds", reached.elapsedSeconds, digits: 3)
                    $0.number("distanceMeters", reached.distanceMeters, digits: 2)
                }
            }
            write(RunShares(series), to: &$0)
            if let imported { write(imported, to: &$0) }
            $0.key("series")
            $0.array(series) { row, text in text.object { write(row, to: &$0) } }
        }
        return text.string
    }

    private func write(_ shares: RunShares, to text: inout AnalysisJSON) {
        text.key("slopeMeters")
        let slopes = RunShares.Slope.allCases.filter { shares.meters[$0] != nil }
        text.array(slopes) { slope, text in
            text.object {
                $0.text("slope", slope.rawValue)
                $0.number("meters", shares.meters[slope], digits: 1)
            }
        }
        text.key("paceSeconds")
        text.array(shares.paceTimes) { pace, text in
            text.object {
                $0.integer("from", pace.from)
                $0.integer("to", pace.from + RunShares.paceSeconds)
                $0.number("seconds", pace.seconds, digits: 1)
            }
        }
    }

    private func write(_ imported: Imported, to text: inout AnalysisJSON) {
        text.key("imported")
        text.object {
            $0.counts("refused", imported.refused)
            $0.counts("dropped", imported.dropped)
            $0.counts("replaced", imported.replaced)
        }
    }

    private func writeSummary(to text: inout AnalysisJSON) {
        let elapsed = (final.elapsedSeconds * 1000).rounded() / 1000
        let paused = (final.pausedSeconds * 1000).rounded() / 1000
        text.number("durationSeconds", elapsed, digits: 3)
        text.number("movingSeconds", elapsed - paused, digits: 3)
        text.number("pausedSeconds", paused, digits: 3)
        text.number("distanceMeters", final.distanceMeters, digits: 2)
        text.number("distanceUncertaintyMeters", final.distanceUncertaintyMeters, digits: 1)
        text.integer("steps", final.steps)
        text.number("averageCadence", final.averageCadence, digits: 1)
        text.number("averageHeartRate", final.averageHeartRate, digits: 2)
        text.number("maxHeartRate", final.maxHeartRate, digits: 1)
        text.integer("doubtedHeartRates", final.heartRate.map { _ in doubtedHeartRates })
        text.number("elevationGainMeters", final.elevationGainMeters, digits: 1)
        text.number("elevationLossMeters", final.elevationLossMeters, digits: 1)
        text.key("zoneSeconds")
        if final.zoneSeconds.isEmpty {
            text.null()
        } else {
            text.array(final.zoneSeconds) { $1.value($0, digits: 1) }
        }
        text.number("targetZonePercent", final.targetZonePercent, digits: 1)
        text.number("caloriesKcal", final.caloriesKcal, digits: 1)
        text.number("effortKm", final.effortKm, digits: 3)
        text.number("decouplingPercent", final.decouplingPercent, digits: 2)
        text.number("hrTSS", final.trainingLoad?.hrTSS, digits: 1)
        text.number("trimp", final.trainingLoad?.trimp, digits: 1)
    }

    private func write(_ row: Row, to text: inout AnalysisJSON) {
        let metrics = row.metrics
        let heart = metrics.heartRate.flatMap { $0.state == .live ? $0 : nil }
        text.number("t", row.t, digits: 3)
        text.number("cadence", metrics.cadence?.stepsPerMinute, digits: 1)
        let confidence = metrics.cadence?.stepsPerMinute == nil ? nil : metrics.cadence?.confidence
        text.number("cadenceConfidence", confidence, digits: 2)
        if let source = metrics.cadence?.source { text.text("cadenceSource", source) }
        text.integer("steps", metrics.steps)
        text.number("distanceMeters", metrics.distanceMeters, digits: 2)
        text.number("speed", metrics.speedMetersPerSecond, digits: 2)
        text.number("bpm", heart?.beatsPerMinute, digits: 1)
        text.integer("zone", heart?.zone)
        text.boolean("paused", metrics.autoPaused || metrics.manuallyPaused)
    }
}
