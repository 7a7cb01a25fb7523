import SensorModel

/// The fields whose values are objects.
extension MetricsEncoder {
    static func write(_ heartRate: HeartRateMetric, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.number(
                "bpm", heartRate.beatsPerMinute, decimals: Decimals.heartRate, &json)
            object.integer("zone", heartRate.zone, &json)
            object.text("state", heartRate.state.name, &json)
            object.number(
                "ageSeconds", heartRate.ageSeconds, decimals: Decimals.ageSeconds, &json)
            object.text("source", heartRate.source, &json)
            object.number(
                "rmssdMilliseconds", heartRate.rmssdMilliseconds, decimals: Decimals.rmssd, &json)
            if heartRate.cadenceLockSuspected { object.bool("cadenceLockSuspected", true, &json) }
            if heartRate.spikeSuspected { object.bool("spikeSuspected", true, &json) }
        }
    }

    static func write(_ cadence: CadenceMetric, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.number(
                "stepsPerMinute", cadence.stepsPerMinute, decimals: Decimals.cadence, &json)
            object.number(
                "confidence", cadence.confidence, decimals: Decimals.confidence, &json)
            object.number("uncertainty", cadence.uncertainty, decimals: Decimals.cadence, &json)
            object.text("state", cadence.state.name, &json)
            object.text("source", cadence.source, &json)
        }
    }

    static func write(_ position: PositionMetric, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.number("latitude", position.latitude, decimals: Decimals.degrees, &json)
            object.number("longitude", position.longitude, decimals: Decimals.degrees, &json)
            object.number(
                "altitudeMeters", position.altitudeMeters, decimals: Decimals.elevationMeters,
                &json)
            object.number(
                "horizontalAccuracyMeters", position.horizontalAccuracyMeters,
                decimals: Decimals.accuracyMeters, &json)
            object.number(
                "courseDegrees", position.courseDegrees, decimals: Decimals.courseDegrees, &json)
            object.text("state", position.state.name, &json)
        }
    }

    static func write(_ load: TrainingLoad, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.number("hrTSS", load.hrTSS, decimals: Decimals.load, &json)
            object.number("trimp", load.trimp, decimals: Decimals.load, &json)
            object.number("edwards", load.edwards, decimals: Decimals.load, &json)
        }
    }

    static func write(_ estimate: FinishEstimate, to json: inout ViewerJSON) {
        let decimals = Decimals.predictedSeconds
        JSONObject.write(to: &json) { object, json in
            object.number("bestSeconds", estimate.bestSeconds, decimals: decimals, &json)
            object.number("expectedSeconds", estimate.expectedSeconds, decimals: decimals, &json)
            object.number("worstSeconds", estimate.worstSeconds, decimals: decimals, &json)
        }
    }

    static func write(_ course: CourseProgress, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.text("checkpoint", course.checkpoint, &json)
            object.number(
                "predictedSeconds", course.predictedSeconds, decimals: Decimals.predictedSeconds,
                &json)
            object.bool("offCourse", course.offCourse, &json)
            object.key("ahead", &json)
            write(course.ahead, to: &json)
        }
    }

    private static func write(_ ahead: [CheckpointAhead], to json: inout ViewerJSON) {
        json.raw("[")
        for (index, checkpoint) in ahead.enumerated() {
            if index > 0 { json.raw(",") }
            JSONObject.write(to: &json) { object, json in
                object.text("checkpoint", checkpoint.checkpoint, &json)
                object.number(
                    "predictedSeconds", checkpoint.predictedSeconds,
                    decimals: Decimals.predictedSeconds, &json)
            }
        }
        json.raw("]")
    }

    static func write(_ interval: IntervalProgress, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.integer("number", interval.number, &json)
            object.integer("of", interval.count, &json)
            object.number(
                "remainingSeconds", interval.secondsLeft, decimals: Decimals.seconds, &json)
            object.number(
                "remainingMeters", interval.metersLeft, decimals: Decimals.distanceMeters, &json)
        }
    }

    static func write(_ quality: GPSQuality, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.text("quality", quality.name, &json)
        }
    }

    /// Writes splits, with `heartRate` only if the reader may see it.
    static func write(_ splits: [Split], heartRate: Bool, to json: inout ViewerJSON) {
        json.raw("[")
        for (index, split) in splits.enumerated() {
            if index > 0 { json.raw(",") }
            JSONObject.write(to: &json) { object, json in
                write(split, heartRate: heartRate, to: &object, &json)
            }
        }
        json.raw("]")
    }

    static func write(
        _ split: Split, heartRate: Bool, to object: inout JSONObject, _ json: inout ViewerJSON
    ) {
        object.integer(split.unit == .kilometer ? "km" : "mile", split.number, &json)
        object.number("seconds", split.seconds, decimals: Decimals.seconds, &json)
        if heartRate {
            object.number(
                "averageHeartRate", split.averageHeartRate, decimals: Decimals.heartRate, &json)
        }
        object.number(
            "elevationMeters", split.elevationMeters, decimals: Decimals.elevationMeters, &json)
    }
}
