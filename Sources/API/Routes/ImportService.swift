import Bytes
import Foundation
import Recordings
import Registry
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport
import WireFormat

/// Imports the file of a run that another program recorded, and detects duplicates.
struct ImportService: Sendable {
    /// Handling of a run that is already recorded.
    fileprivate enum Duplicate: String, CaseIterable, Sendable {
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

    /// Maximum number of sessions of the same hours to compare; the largest overlap comes first.
    private static let comparedMax = 8

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

    // MARK: Duplicates

    /// The device's sessions of the same run, the one that overlaps most first.
    ///
    /// - Parameters:
    ///   - recording: The file's run.
    ///   - device: The device.
    ///   - isOneEnough: Whether the first of them is all that the caller needs.
    /// - Returns: The sessions.
    /// - Throws: ``ReadRefusal``, ``SegmentLogError``
    private func sessions(
        like recording: Recording, of device: DeviceID, isOneEnough: Bool
    ) async throws -> [SessionID] {
        guard let first = recording.frames.first, let last = recording.frames.last else {
            return []
        }
        let times = first.deviceTime...max(first.deviceTime, last.deviceTime)
        let candidates = administration.catalog.sessions(of: device, during: times)
            .map { ($0, RunOverlap.share(times, $0.deviceTimes ?? $0.arrivalTimes)) }
            .filter { $0.1 >= RunOverlap.shareMin }
            .sorted { $0.1 > $1.1 }.prefix(Self.comparedMax).map(\.0)
        guard !candidates.isEmpty else { return [] }
        let log = pipeline.log
        log.flush()
        let match = RecordingMatch(recording.frames)
        let compared = RecordingMatch.window(of: times)
        var found: [SessionID] = []
        for candidate in candidates {
            // Uses the threads for request bodies, so that it delays no reader of the log. A
            // session at a time, so that other devices get their turns in between.
            let isSame = try await pipeline.bodies.run(for: .device(device)) { ticket in
                var match = match
                try Self.read(candidate, during: compared, log.reader(), ticket) { match.note($0) }
                return match.isSameRun
            }
            guard isSame else { continue }
            found.append(candidate.session)
            if isOneEnough { break }
        }
        return found
    }

    /// Reads the frames of a session for a comparison; skips those of other times, and those that
    /// cannot be decoded.
    private static func read(
        _ summary: SessionSummary, during times: ClosedRange<Timestamp>, _ reader: LogReader,
        _ ticket: ReadPool.Ticket, _ body: (Frame) -> Void
    ) throws {
        try reader.read(summary) { header, payload in
            guard !ticket.isCancelled else { return false }
            guard times.contains(header.deviceTime),
                case .frame(let kind) = try? SessionRecord(header, payload: payload)
            else { return true }
            let frame = FrameHeader(
                kind: kind, sequence: header.sequence, deviceTime: header.deviceTime)
            if let frame = try? FramePayload.decode(frame, payload: payload) { body(frame) }
            return true
        }
        guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
    }

    /// - Returns: The erased sessions; the others exceed the limit of deletions, or are gone.
    private func erase(_ sessions: [SessionID], of device: DeviceID) async -> [SessionID] {
        var erased: [SessionID] = []
        for session in sessions {
            let isErased = try? await administration.changes.run(
                for: device, changedAt: administration.clock()
            ) { try await administration.deleteSession(session, for: device) }
            if isErased != nil { erased.append(session) }
        }
        return erased
    }
}

/// Target of an import request, for clients.
package enum ImportAddress {
    /// Choices for a run that is already recorded.
    package static let duplicates = ImportService.Duplicate.allCases.map(\.rawValue)

    /// - Parameters:
    ///   - name: The file's name, for messages.
    ///   - duplicate: One of ``duplicates``.
    /// - Returns: The path, with its query.
    package static func target(name: String, duplicate: String) -> String {
        let name = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "file"
        return "/v1/me/import?name=\(name)&duplicate=\(duplicate)"
    }
}
