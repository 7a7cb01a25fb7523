import Daemon
import Testing

@Suite struct ListenDescriptorsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let environment: [String: String]
        let descriptors: [String: Int32]
    }

    static let cases = [
        Case(testDescription: "nothing passed", environment: [:], descriptors: [:]),
        Case(
            testDescription: "three by name, in the order of their names",
            environment: [
                "LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "device:http:operations",
            ],
            descriptors: ["device": 3, "http": 4, "operations": 5]),
        Case(
            testDescription: "the unit's name where it gives none of its own",
            environment: [
                "LISTEN_PID": "42", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "pulsecast-http.socket",
            ],
            descriptors: ["http": 3]),
        Case(
            testDescription: "fewer names than descriptors",
            environment: ["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "device"],
            descriptors: ["device": 3, "unnamed1": 4]),
        Case(
            testDescription: "an empty name keeps its place",
            environment: ["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": ":http"],
            descriptors: ["": 3, "http": 4]),
        Case(
            testDescription: "meant for another process",
            environment: ["LISTEN_PID": "41", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "device"],
            descriptors: [:]),
        Case(
            testDescription: "meant for nobody",
            environment: ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "device"], descriptors: [:]),
        Case(
            testDescription: "a count that is none",
            environment: ["LISTEN_PID": "42", "LISTEN_FDS": "-1"], descriptors: [:]),
        Case(
            testDescription: "more than anybody passes",
            environment: ["LISTEN_PID": "42", "LISTEN_FDS": "2147483647"], descriptors: [:]),
        Case(
            testDescription: "a count that is no number",
            environment: ["LISTEN_PID": "42", "LISTEN_FDS": "many"], descriptors: [:]),
    ]

    @Test(arguments: cases)
    func `Descriptors are found by name`(example: Case) {
        let found = ListenDescriptors(environment: example.environment, processID: 42)
        #expect(found.descriptors == example.descriptors)
    }
}
