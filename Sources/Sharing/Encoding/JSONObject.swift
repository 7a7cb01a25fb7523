import SensorModel

/// One JSON object being written: puts the commas, and leaves out what is missing.
struct JSONObject {
    private var isEmpty = true

    static func write(
        to json: inout JSONWriter, _ body: (inout JSONObject, inout JSONWriter) -> Void
    ) {
        var object = JSONObject()
        json.raw("{")
        body(&object, &json)
        json.raw("}")
    }

    mutating func key(_ name: String, _ json: inout JSONWriter) {
        json.raw(isEmpty ? "\"" : ",\"")
        json.raw(name)
        json.raw("\":")
        isEmpty = false
    }

    mutating func number(
        _ name: String, _ value: Double?, decimals: Int, _ json: inout JSONWriter
    ) {
        guard let value, value.isFinite else { return }
        key(name, &json)
        json.number(value, decimals: decimals)
    }

    mutating func integer(_ name: String, _ value: Int?, _ json: inout JSONWriter) {
        guard let value else { return }
        key(name, &json)
        json.integer(Int64(value))
    }

    mutating func text(_ name: String, _ value: String?, _ json: inout JSONWriter) {
        guard let value else { return }
        key(name, &json)
        json.text(value)
    }

    mutating func bool(_ name: String, _ value: Bool, _ json: inout JSONWriter) {
        key(name, &json)
        json.bool(value)
    }

    mutating func time(_ name: String, _ value: Timestamp?, _ json: inout JSONWriter) {
        number(name, value?.secondsSince1970, decimals: Decimals.time, &json)
    }
}
