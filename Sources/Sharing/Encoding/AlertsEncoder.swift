import SensorModel

/// The `alerts` field: for each scope the names of the raised alerts that it includes.
enum AlertsEncoder {
    static func fragments(of alerts: [AlertKind]) -> [Fragment] {
        var scopesByNames: [(kinds: [AlertKind], scopes: [Scope])] = []
        for rawValue in 0...Scope.all.rawValue {
            let scope = Scope(rawValue: rawValue)
            let kinds = alerts.filter { scope.isSuperset(of: $0.neededScope) }
            if let index = scopesByNames.firstIndex(where: { $0.kinds == kinds }) {
                scopesByNames[index].scopes.append(scope)
            } else {
                scopesByNames.append((kinds, [scope]))
            }
        }
        return scopesByNames.map { kinds, scopes in
            Fragment(
                key: .alerts,
                visibility: VisibilityMask { scopes.contains($0.intersection(.all)) },
                bytes: bytes(kinds))
        }
    }

    private static func bytes(_ kinds: [AlertKind]) -> [UInt8] {
        var json = ViewerJSON(reserving: 64)
        json.raw(FieldKey.alerts.prefix)
        json.raw("[")
        for (index, kind) in kinds.enumerated() {
            if index > 0 { json.raw(",") }
            json.text(kind.name)
        }
        json.raw("]")
        return json.bytes
    }
}
