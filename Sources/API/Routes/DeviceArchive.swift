import Bytes
import Compression
import Foundation
import Recordings
import Registry
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Transport

/// All that is kept of a device, as one ZIP archive that is read while it is sent.
///
/// A session that cannot be written as a whole is named in `missing.txt`, so nobody takes the
/// archive for more than it is.
struct DeviceArchive: Sendable {
    /// Sessions read from the catalog at a time.
    private static let pageLimit = 100
    private static let writeBytes = 64 << 10
    /// Seconds between tries while the device's other downloads take all its room.
    private static let retrySeconds = 1
    private static let triesMax = 60

    struct File: Sendable {
        let name: String
        /// Read one after the other on the readers' threads; `nil`: there is nothing to keep.
        let parts: [@Sendable () throws -> [UInt8]?]
    }

    private let device: Device
    private let documents: [File]
    private let sessions: SessionRoutes
    private let format: ExportFormat
    private let isAllowed: @Sendable (Device) -> Bool
    /// Memory of the archive's directory, and one of the downloads that the device may have.
    private let reservation: ExportBudget.Reservation

    /// - Parameters:
    ///   - device: The device.
    ///   - documents: Files with all but its sessions.
    ///   - sessions: Reads the sessions.
    ///   - format: Format of the sessions' files.
    ///   - isAllowed: Whether the device, as it is by then, may still be read.
    /// - Throws: ``ReadRefusal/tooMany``
    init(
        of device: Device, documents: [File], sessions: SessionRoutes, format: ExportFormat,
        isAllowed: @escaping @Sendable (Device) -> Bool
    ) throws(ReadRefusal) {
        (self.device, self.documents, self.isAllowed) = (device, documents, isAllowed)
        (self.sessions, self.format) = (sessions, format)
        reservation = try sessions.pipeline.exports.begin(device.id, isArchive: true)
    }

    var response: HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": "application/zip",
                "Content-Disposition": "attachment; filename=\"pulsecast-archive.zip\"",
            ],
            body: .stream { writer in
                var writing = Writing(archive: self, writer: writer)
                try await writing.run()
            })
    }

    /// The device was erased, or whoever asked may not read it any more.
    private struct NotAllowed: Error {}

    /// The archive on its way to one reader.
    private struct Writing {
        let archive: DeviceArchive
        let writer: HTTPBodyWriter
        let now: Timestamp
        let timeZone: TimeZone
        var zip = ZipWriter()
        var missing = ""
        /// Bytes of small files, which share a write: each waits for the socket.
        var unwritten: [UInt8] = []

        init(archive: DeviceArchive, writer: HTTPBodyWriter) {
            (self.archive, self.writer) = (archive, writer)
            now = archive.sessions.clock()
            timeZone = TimeZone(identifier: archive.device.profile.timeZone) ?? .gmt
        }

        mutating func run() async throws {
            archive.sessions.pipeline.log.flush()
            try await addFile("README.txt", introduction)
            for document in archive.documents { try await add(document) }
            try await flush()
            try await addList()
            try await forEachPage { writing, page in
                for summary in page { try await writing.addSession(summary) }
            }
            if !missing.isEmpty { try await addFile("missing.txt", missing) }
            try await write(zip.finish())
            try await flush()
        }

        private var introduction: String {
            """
            All that is kept of \(archive.device.name), as of \(now.iso8601(decimals: 0)).

            sessions/       one file a run, as \(archive.format.rawValue), named by its start
            sessions.json   the list of the runs, with their names and notes
            shares.json     the links, and when they were opened
            missing.txt     if it is here: the runs that could not be written, and why

            The other files are what /v1/me answers under their names. Addresses of links, of those
            who are told of alerts and of those who get the runs are left out: they are keys.

            """
        }

        // MARK: Files

        private mutating func addFile(_ name: String, _ text: String) async throws {
            let bytes = Array(text.utf8)
            try await add(File(name: name, parts: [{ bytes }]))
        }

        private mutating func add(_ document: File) async throws {
            var hasBegun = false
            for part in document.parts {
                try requireAllowed()
                guard let bytes = try await reading(part) else { continue }
                if !hasBegun { try await begin(document.name, at: now) }
                hasBegun = true
                try await append(bytes)
            }
            if hasBegun { try await write(zip.end()) }
        }

        /// Compresses on the readers' threads, in pieces: others wait meanwhile.
        private mutating func append(_ bytes: [UInt8]) async throws {
            for start in stride(from: 0, to: bytes.count, by: DeviceArchive.writeBytes) {
                let end = min(bytes.count, start + DeviceArchive.writeBytes)
                let piece = Array(bytes[start..<end])
                try await write(zip.append(try await reading { DeflatedPart(piece) }))
            }
        }

        /// Takes a turn of the device among all who read.
        private func reading<Result: Sendable>(
            _ work: @escaping @Sendable () throws -> Result
        ) async throws -> Result {
            let (pool, device) = (archive.sessions.pipeline.reader.pool, archive.device.id)
            return try await retrying {
                try await pool.run(for: .device(device)) { _ in try work() }
            }
        }

        private mutating func begin(_ name: String, at time: Timestamp, isLarge: Bool = false)
            async throws
        {
            try await write(zip.begin(name, second: localSecond(of: time), isLarge: isLarge))
            // Arrays grow by doubling, and the last part is a copy.
            let bytes = 3 * (zip.heldBytes + missing.utf8.count)
            try await retrying {
                if let refusal = archive.reservation.take(bytes) { throw refusal }
            }
        }

        /// Seconds since 1970 on the runner's clock, which ZIP wants.
        private func localSecond(of time: Timestamp) -> Int64 {
            let date = Date(timeIntervalSince1970: time.secondsSince1970)
            return Int64(time.secondsSince1970) + Int64(timeZone.secondsFromGMT(for: date))
        }

        private mutating func write(_ bytes: [UInt8]) async throws {
            unwritten += bytes
            if unwritten.count >= DeviceArchive.writeBytes { try await flush() }
        }

        private mutating func flush() async throws {
            try await writer.write(unwritten)
            unwritten = []
        }

        // MARK: Sessions

        private mutating func forEachPage(
            _ body: (inout Self, [SessionSummary]) async throws -> Void
        ) async throws {
            let catalog = archive.sessions.administration.catalog
            var before: RecordOffset?
            while true {
                let page = catalog.page(
                    of: .device(archive.device.id), before: before, limit: DeviceArchive.pageLimit)
                try await body(&self, page.sessions)
                guard page.more, let last = page.sessions.last else { return }
                before = last.firstOffset
            }
        }

        private mutating func addList() async throws {
            try await begin("sessions.json", at: now)
            var separator = "["
            try await forEachPage { writing, page in
                try writing.requireAllowed()
                let sessions = writing.archive.sessions
                let rows = try await writing.retrying {
                    try await sessions.rows(of: page, for: .device(writing.archive.device.id))
                }
                let start = separator
                if !rows.isEmpty { separator = "," }
                let bytes = try await writing.reading {
                    Array((start + "\n" + rows.map(JSONBody.text).joined(separator: ",\n")).utf8)
                }
                if !rows.isEmpty { try await writing.append(bytes) }
            }
            let end = separator == "[" ? "[]\n" : "\n]\n"
            try await append(Array(end.utf8))
            try await write(zip.end())
        }

        private mutating func addSession(_ summary: SessionSummary) async throws {
            try requireAllowed()
            let (format, sessions) = (archive.format, archive.sessions)
            var file: SessionFile
            do {
                file = try await retrying {
                    try await SessionFile(
                        of: summary, as: format, device: archive.device.name,
                        from: sessions.pipeline)
                }
            } catch ReadRefusal.tooLong {
                missing +=
                    "\(summary.session): too long for \(format.rawValue): csv-motion has"
                    + " no limit\n"
                return
            } catch let error as SessionReadError {
                missing += "\(summary.session): \(error)\n"
                return
            }
            let start = summary.startTime
            try await begin(
                "sessions/\(name(of: start))_\(summary.session).\(format.fileExtension)",
                at: start, isLarge: !format.readsRows)
            do {
                while let part = try await retrying({ try await file.nextPart(DeflatedPart.init) })
                {
                    try requireAllowed()
                    try await write(zip.append(part))
                }
            } catch let error as SessionReadError {
                missing += "\(summary.session): its file is not whole: \(error)\n"
            }
            try await write(zip.end())
        }

        /// Returns `2026-11-29_051942` for a time on the runner's clock.
        private func name(of time: Timestamp) -> String {
            let local = Timestamp(secondsSince1970: Double(localSecond(of: time))) ?? time
            return String(local.iso8601(decimals: 0).prefix(19))
                .replacing("T", with: "_").replacing(":", with: "")
        }

        private func requireAllowed() throws {
            let device = archive.sessions.administration.accounts.device(archive.device.id)
            guard let device, archive.isAllowed(device) else { throw NotAllowed() }
        }

        /// Tries again what has no room now. A download of an hour must not end because of another
        /// one.
        private func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
            for _ in 1..<DeviceArchive.triesMax {
                do {
                    return try await work()
                } catch ReadRefusal.tooMany, ReadRefusal.busy {
                    try await Task.sleep(for: .seconds(DeviceArchive.retrySeconds))
                }
            }
            return try await work()
        }
    }
}
