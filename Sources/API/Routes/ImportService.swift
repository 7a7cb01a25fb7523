import Bytes
import Recordings
import Registry
import Runtime
import SensorModel
import Transport

/// Imports the file of a run that another program recorded, and detects duplicates.
struct ImportService: Sendable {
    /// Handling of a run that is already recorded.
    enum Duplicate: String, CaseIterable, Sendable {
        case refuse, replace, keep
    }

    private struct Row: Encodable {
        let session: String
        let format: String
        let frames: Int
        /// Unusable items, by reason.
        let refused: [String: Int]
        /// Values that no frame holds, by field.
        let dropped: [String: Int]
        let notes: [String]
        /// Sessions of the same run that were erased for it.
        let replaced: [String]
        /// Sessions of the same run that stay beside it.
        let beside: [String]
    }

    let administration: Administration
    let pipeline: Pipeline
    let pushes: PushService

    /// - Throws: ``APIRefusal``, ``ReadRefusal``
    func answer(_ request: HTTPRequest, for device: Device) async throws -> HTTPResponse {
        try await pushes.imports.run(for: device.id) { try await take(request, of: device) }
    }

    private func take(_ request: HTTPRequest, of device: Device) async throws -> HTTPResponse {
        let duplicate = try Self.duplicate(request)
        let name = CleanText.clean(request.query["name"] ?? "the file", charactersMax: 64)
        let reservation = try pipeline.exports.begin(device.id)
        let body = request.body
        let recording = try await pipeline.reading(body, of: device.id, isFile: true) {
            try ImportedFile(name: name, body, reservation).recording
        }
        let known = try await sessions(
            like: recording, of: device.id, isOneEnough: duplicate == .refuse)
        if duplicate == .refuse, let first = known.first {
            throw APIRefusal.conflict(
                "\(name) is a run that is there already, as session \(first): replace it, or keep "
                    + "both")
        }
        if duplicate == .replace, !known.isEmpty,
            let wait = administration.secondsUntilDeletion(by: device.id)
        {
            throw APIRefusal.tooMany(
                "\(name) replaces a run, and too many were deleted just now",
                retryAfterSeconds: wait)
        }
        let (outcome, session) = await pushes.record(Self.ended(recording.frames), from: device.id)
        withExtendedLifetime(reservation) {}
        if let refusal = Self.refusal(outcome, name) { throw refusal }
        let replaced = duplicate == .replace ? await erase(known, of: device.id) : []
        return JSONBody.response(
            Row(
                session: "\(session)", format: recording.format.name,
                frames: recording.frames.count, refused: recording.refused.counts,
                dropped: recording.dropped.counts,
                notes: Self.notes(on: recording, replacing: replaced),
                replaced: replaced.map(\.description),
                beside: known.filter { !replaced.contains($0) }.map(\.description)),
            status: 201)
    }

    /// - Returns: `nil` if the file was recorded.
    private static func refusal(_ outcome: PushOutcome, _ name: String) -> APIRefusal? {
        switch outcome {
        case .recorded: nil
        case .notDurable: .unavailable("not recorded: the log cannot be written now")
        case .tooMany:
            .tooMany(
                "not recorded: the device sends too much at once", retryAfterSeconds: 10)
        case .tooSparse:
            .badValue(
                "not recorded: in \(name) there is too much time between the points, or there are "
                    + "too many pauses and laps; pulsecast push takes it")
        }
    }

    private static func duplicate(_ request: HTTPRequest) throws(APIRefusal) -> Duplicate {
        guard let text = request.query["duplicate"] else { return .refuse }
        guard let duplicate = Duplicate(rawValue: text) else {
            throw .badField(
                name: "duplicate", allowed: ImportAddress.duplicates.joined(separator: ", "))
        }
        return duplicate
    }

    private static func notes(on recording: Recording, replacing replaced: [SessionID]) -> [String]
    {
        var notes = recording.notes
        if !recording.startIsKnown {
            notes.append("The file does not say when it was: it begins on 2020-01-01.")
        }
        if replaced.contains(where: { !$0.isImported }) {
            notes.append(
                "Links showed the run that was replaced; they do not show an imported one.")
        }
        return notes
    }

    /// Adds the end of the run; otherwise the session would wait for more frames.
    private static func ended(_ frames: [Frame]) -> [Frame] {
        guard let last = frames.last, last.payload != .control(.stop) else { return frames }
        let end = Frame(sequence: .none, deviceTime: last.deviceTime, payload: .control(.stop))
        return frames + [end]
    }
}
