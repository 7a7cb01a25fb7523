/// JSON Schemas of the topics.
enum MCAPSchemas {
    /// Foxglove's own schema, which its map panel expects.
    static let locationFix = """
        {"title":"foxglove.LocationFix","description":"A navigation satellite fix",\
        "type":"object","properties":{"timestamp":{"type":"object","title":"time",\
        "properties":{"sec":{"type":"integer","minimum":0},\
        "nsec":{"type":"integer","minimum":0,"maximum":999999999}}},\
        "frame_id":{"type":"string"},"latitude":{"type":"number"},\
        "longitude":{"type":"number"},"altitude":{"type":"number"},\
        "position_covariance":{"type":"array","items":{"type":"number"},\
        "minItems":9,"maxItems":9},\
        "position_covariance_type":{"title":"foxglove.PositionCovarianceType",\
        "oneOf":[{"title":"UNKNOWN","const":0},{"title":"APPROXIMATED","const":1},\
        {"title":"DIAGONAL_KNOWN","const":2},{"title":"KNOWN","const":3}]}}}
        """

    /// Schema of objects in the text wire format, where every member is optional.
    static let open = """
        {"type":"object","properties":{"timestamp":{"type":"number"}}}
        """
}
