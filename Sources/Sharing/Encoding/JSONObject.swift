import SensorModel

/// Writes one JSON object: adds the commas, and omits missing values.
struct JSONObject {
    private var isEmpty = true

    static func write(
        to json: inout ViewerJSON, _ body: (inout JSONObject, inout ViewerJSON) -> Void
    ) {
        var object = JSONObject()
        json.raw("{")
        body(&object, &json)
        json.raw("}")
    }

    mutating func key(_ name: String, _ json: inout ViewerJSON) {
        json.raw(isEmpty ? "\"" : ",\"")
        json.raw(name)
        json.raw("\":")
        isEmpty = false
    }

    mutating func number(
        _ name: String, _ value: Double?, decimals: Int, _ json: inout ViewerJSON
    ) {
        guard let value, value.isFinite else { return }
        key(name, &json)
        json.number(value, decimals: decimals)
    }

    mutating func integer(_ name: String, _ value: Int?, _ json: inout ViewerJSON) {
        guard let value else { return }
        key(name, &json)
        json.integer(Int64(value))
    }

    mutating func text(_ name: String, _ value: String?, _ json: inout ViewerJSON) {
        guard let value else { return }
        key(name, &json)
        json.text(value)
    }

    mutating func bool(_ name: String, _ value: Bool, _ json: inout ViewerJSON) {
        key(name, &json)
        json.bool(value)
    }

    mutating func time(_ name: String, _ value: Timestamp?, _ json: inout ViewerJSON) {
        number(name, value?.secondsSince1970, decimals: Decimals.time, &json)
    }
}
