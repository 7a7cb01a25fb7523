import Client
import Foundation
import SensorModel
import Testing
import Transport

@testable import API

@Suite(.serialized) struct OpenAPITests {
    @Test func `The description is served, and names every operation once`() async throws {
        try await RunningDaemon.run { running in
            let answer = try await running.ask(.get, "/openapi.json")
            #expect(answer.status == 200)
            #expect(answer.object["openapi"] as? String == "3.1.0")
            let paths = try #require(answer.object["paths"] as? [String: [String: Any]])
            let identifiers = paths.values.flatMap(\.values)
                .compactMap { ($0 as? [String: Any])?["operationId"] as? String }
            #expect(identifiers.count == OpenAPIOperations.all.count)
            #expect(Set(identifiers).count == identifiers.count)
        }
    }

    @Test func `Every reference in the description leads somewhere`() throws {
        let text = JSONBody.text(OpenAPIRoutes.description)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let components = try #require(document["components"] as? [String: [String: Any]])
        for match in text.matches(of: /"#\/components\/(\w+)\/(\w+)"/) {
            #expect(components[String(match.1)]?[String(match.2)] != nil, "\(match.0)")
        }
    }

    /// What stands in a path for a name, an ID and a number; nil: what is there.
    private static let inPaths: [String?] = [
        nil, "unknown", "%C3%BB%0D", String(repeating: "n", count: 65), "0", "%00", "..;",
    ]

    @Test(arguments: inPaths)
    func `Every operation answers as it says, with and without a key`(inPath: String?) async throws
    {
        try await RunningDaemon.run { running in
            let session = SessionID(high: 0x4003, low: 1 << 63)
            for operation in OpenAPIOperations.all {
                // A device for each: what one may change a minute is limited.
                let name = "d-\(UInt32.random(in: 0 ... .max))"
                let token = try running.addDevice(name)
                let share = try running.addShare(of: name)
                let isStream = operation.path.hasSuffix("/events")
                guard !isStream else { continue }
                let path = operation.path.replacing("{share}", with: share)
                    .replacing("{token}", with: token)
                    .replacing("{id}", with: inPath ?? "\(session)")
                    .replacing("{name}", with: inPath ?? name)
                    .replacing("{number}", with: inPath ?? "1")
                let statuses = Set(operation.answers.map(\.status))
                let keys: [String?] = [operation.security == .shareID ? share : token, nil]
                for key in keys {
                    var fields = HTTPFields()
                    if let body = operation.body { fields["Content-Type"] = body.type }
                    let answer = try await running.ask(
                        operation.method, path, token: key, fields: fields,
                        body: operation.body == nil ? "" : #"{"text":"go","command":"lap"}"#)
                    #expect(
                        statuses.contains(answer.status),
                        "\(operation.method) \(path): \(answer.status) \(answer.text)")
                }
            }
        }
    }
}
