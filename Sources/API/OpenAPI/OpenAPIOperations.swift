import Recordings
import Sharing
import Transport

/// Every operation of the HTTP port except pages, WebSockets, and what the administration page asks.
enum OpenAPIOperations {
    static let all = viewers + [confirmation] + owner + push + readers + [description]

    private static func reference(_ name: String) -> OpenAPINode {
        OpenAPISchemas.reference(name)
    }

    static func json(_ name: String) -> OpenAPIOperation.Body {
        OpenAPIOperation.Body(type: "application/json", schema: reference(name))
    }

    private static let description = OpenAPIOperation(
        method: .get, path: "/openapi.json", tag: "description", summary: "This description.",
        answers: [.json(["type": "object"])])

    // MARK: Viewers

    private static let viewers: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .get, path: "/v1/shares/{share}/latest", tag: "viewers",
            summary: "The newest snapshot; one a runner for a group.",
            answers: [
                .json(reference("Event")),
                .empty(304, "As the `ETag` of `If-None-Match`."), .unknownShare, .tooMany,
                .readsBusy,
            ]),
        OpenAPIOperation(
            method: .get, path: "/v1/shares/{share}/history", tag: "viewers",
            summary:
                "What viewers were sent, oldest first; nextCursor, null before there is anything, "
                + "is good as after even when nothing is new.",
            query: [
                ("after", OpenAPISchemas.text, "A cursor; what comes after it."),
                ("limit", ["type": "integer", "minimum": 1, "maximum": 1000], "Default 1000."),
            ],
            answers: [
                .json(reference("History")), .badRequest, .unknownShare, .tooMany, .readsBusy,
            ]),
        OpenAPIOperation(
            method: .get, path: "/v1/shares/{share}/overview", tag: "viewers",
            summary:
                "The shown session thinned to what a screen can show, as columns, and its events. "
                + "Each point is one of the updates of history; history after cursor has the rest.",
            query: [
                (
                    "points",
                    [
                        "type": "integer", "minimum": 1,
                        "maximum": .number(Double(SessionOverview.pointsMax)),
                    ], "At most so many points; default \(OverviewQuery.pointsUnlessAsked)."
                ),
                (
                    "columns", OpenAPISchemas.text,
                    "Some of \(OverviewParts.names.joined(separator: ",")), with commas; else all."
                ),
                ("runner", OpenAPISchemas.text, "For a group: a runner's name."),
            ],
            answers: [
                .json(reference("Overview")), .badRequest, .unknownShare, .tooMany, .readsBusy,
            ]),
        OpenAPIOperation(
            method: .get, path: "/v1/shares/{share}/events", tag: "viewers",
            summary: "The same live, as server-sent events; `id:` is the cursor.",
            query: [("after", OpenAPISchemas.text, "Resumes after a cursor.")],
            answers: [
                .file("text/event-stream", description: "Until the viewer or the share goes."),
                .unknownShare, .tooMany,
            ]),
        OpenAPIOperation(
            method: .get, path: "/v1/shares/{share}/week", tag: "viewers",
            summary: "On which days of this week each runner trained, by the runner's own clock.",
            answers: [.json(reference("Weeks")), .unknownShare, .tooMany, .readsBusy]),
        OpenAPIOperation(
            method: .post, path: "/v1/shares/{share}/cheer", tag: "viewers",
            summary: "Words for the runner.", body: json("Cheer"),
            answers: [
                .empty(204, "On the way to the device."), .badRequest, .unknownShare, .tooMany,
            ]),
        OpenAPIOperation(
            method: .get, path: "/publicStreams/{share}/latest.json", tag: "viewers",
            summary: "The heart rate in HeartBeatStream's form; as Firebase's events to those "
                + "who accept `text/event-stream`.",
            answers: [.json(reference("HeartBeat")), .unknownShare, .tooMany, .readsBusy]),
        OpenAPIOperation(
            method: .get, path: "/publicStreams/{share}/heartRate.json", tag: "viewers",
            summary: "The last heart rates, keyed by milliseconds since 1970; as Firebase's "
                + "events to those who accept `text/event-stream`.",
            query: [
                ("startAt", OpenAPISchemas.integer, "Milliseconds since 1970."),
                ("limitToLast", ["type": "integer", "minimum": 1, "maximum": 10_000], ""),
            ],
            answers: [
                .json(["type": ["object", "null"]]), .badRequest, .unknownShare, .tooMany,
                .readsBusy,
            ]),
    ]

    // MARK: The owner

    static func owned(
        _ method: OpenAPIMethod, _ path: String, _ summary: String,
        body: OpenAPIOperation.Body? = nil, _ answers: [OpenAPIOperation.Answer]
    ) -> OpenAPIOperation {
        OpenAPIOperation(
            method: method, path: "/v1/me" + path, tag: "owner", summary: summary,
            security: .deviceToken, body: body, answers: answers + [.tokenRefused, .tooMany])
    }

    private static let owner: [OpenAPIOperation] =
        ownSessions + ownShares + ownSettings + receivers + deliveries + groups

    private static let exportFormats = ExportFormat.allCases.map { OpenAPINode.text($0.rawValue) }

    private static let exportedFile = OpenAPIOperation.Answer(
        status: 200, description: "The file.",
        types: ExportFormat.allCases.map { format in
            String(format.contentType.prefix { $0 != ";" })
        }, schema: OpenAPISchemas.text)

    private static let ownSessions: [OpenAPIOperation] = [
        owned(.get, "", "The device.", [.json(reference("Device"))]),
        owned(
            .delete, "",
            "Erases the device, its links, its groups and every byte of its sessions. The body "
                + "repeats its name.",
            body: json("Farewell"),
            [.json(reference("Erased")), .badRequest, .conflict, .notWritable]),
        {
            var list = owned(
                .get, "/sessions",
                "A page of its sessions, newest first. `Link` with `rel=\"next\"` names the next "
                    + "page, where there is one.",
                [.json(OpenAPISchemas.list(reference("Session"))), .badRequest, .readsBusy])
            list.query = [
                (
                    "limit",
                    [
                        "type": "integer",
                        "minimum": .number(Double(SessionPageQuery.limits.lowerBound)),
                        "maximum": .number(Double(SessionPageQuery.limits.upperBound)),
                    ], "Default \(SessionPageQuery.limitDefault)."
                ),
                (
                    "before", OpenAPISchemas.text,
                    "The `cursor` of a session: those that began before it."
                ),
                ("since", OpenAPISchemas.number, "Started then or later; seconds since 1970."),
                (
                    "search",
                    [
                        "type": "string", "minLength": 1,
                        "maxLength": .number(Double(SessionPageQuery.searchCharactersMax)),
                    ],
                    "In the name or the notes, in small letters or capitals; or the beginning of "
                        + "the day of the start by the runner's clock, as 2026-11."
                ),
            ]
            return list
        }(),
        {
            var taken = owned(
                .post, "/import",
                "A run that another program recorded: FIT, GPX, TCX, CSV or NDJSON, also in gzip's "
                    + "frame. Links never show it.",
                body: OpenAPIOperation.Body(
                    type: "application/octet-stream", schema: OpenAPISchemas.text),
                [
                    .json(reference("Imported"), status: 201), .badRequest, .conflict, .readsBusy,
                ])
            taken.query = [
                ("name", OpenAPISchemas.text, "Of the file, for messages."),
                (
                    "duplicate",
                    ["type": "string", "enum": .array(ImportAddress.duplicates.map { .text($0) })],
                    "What to do with a run that is there already: refuse it (the default, 409), "
                        + "erase the earlier one, or keep both."
                ),
            ]
            return taken
        }(),
        owned(
            .get, "/sessions/{id}",
            "One session with its totals. `id` may be the beginning of an ID, four digits or more, "
                + "or `latest`, here and below.",
            [.json(reference("Session")), .badRequest, .notFound, .conflict]),
        owned(
            .put, "/sessions/{id}",
            "What its runner writes about it; what is absent stays, an empty text or 0 removes. "
                + "Links never show it.",
            body: json("SessionNote"),
            [
                .json(reference("SessionNote")), .badRequest, .notFound, .conflict, .notWritable,
            ]),
        owned(
            .delete, "/sessions/{id}", "Erases it; no readable copy is left.",
            [.json(reference("Erased")), .badRequest, .notFound, .conflict]),
        {
            var export = owned(
                .get, "/sessions/{id}/export", "The session for other programs.",
                [exportedFile, .badRequest, .notFound, .conflict])
            export.query = [
                (
                    "format",
                    ["type": "string", "enum": .array(exportFormats)], "Of the file."
                )
            ]
            return export
        }(),
        {
            var archive = owned(
                .get, "/archive",
                "All that is kept of it as one ZIP archive: each session as a file, and what "
                    + "the other routes answer without `url` and `address`. `missing.txt` in it "
                    + "names sessions that could not be written.",
                [.file("application/zip", description: "The archive."), .badRequest, .readsBusy])
            archive.query = [
                (
                    "format", ["type": "string", "enum": .array(exportFormats)],
                    "Of the sessions' files."
                )
            ]
            return archive
        }(),
        owned(
            .get, "/sessions/{id}/report", "The session as one page that needs no network.",
            [.file("text/html", description: "HTML."), .badRequest, .notFound, .conflict]),
    ]

    private static let ownShares: [OpenAPIOperation] = [
        owned(
            .get, "/shares", "Who may see what, with viewers now and ever.",
            [.json(OpenAPISchemas.list(reference("Share")))]),
        owned(
            .post, "/shares", "A new link.", body: json("NewShare"),
            [.json(reference("Share"), status: 201), .badRequest, .conflict, .notWritable]),
        owned(
            .get, "/shares/{name}/opens",
            "When it was opened, by visitors without their addresses.",
            [.json(OpenAPISchemas.list(reference("Open"))), .notFound]),
        owned(
            .delete, "/shares/{name}",
            "Takes a link back; its viewers are closed. With 503 the link is closed, too, and may "
                + "be valid again after a restart.",
            [.empty(204, "Done."), .notFound, .notWritable]),
        owned(
            .post, "/shares/{name}/rotate", "Another link; the one before is over.",
            [.json(reference("Share")), .notFound, .conflict, .notWritable]),
        owned(
            .post, "/shares/{name}/code",
            "A code to read aloud, for one use; codes of the device before are over.",
            body: json("NewInvitation"),
            [
                .json(reference("Code"), status: 201), .badRequest, .notFound, .conflict,
                .notWritable,
            ]),
    ]

    private static let ownSettings: [OpenAPIOperation] = [
        owned(
            .post, "/commands", "A command to the device.", body: json("Command"),
            [.json(reference("SentCommand"), "On its way.", status: 202), .badRequest]),
        {
            var setups = owned(
                .get, "/setups", "What each phone application has to be told.",
                [.json(OpenAPISchemas.list(reference("Setup"))), .badRequest])
            setups.query = [
                ("url", OpenAPISchemas.text, "What addresses begin with, as https://run.example.")
            ]
            return setups
        }(),
        {
            var training = owned(
                .get, "/training",
                "Fitness, fatigue and form day by day, by the runner's own clock. `sessionsPending`"
                    + " are still being computed: ask again soon.",
                [.json(reference("Training")), .badRequest])
            training.query = [
                (
                    "days", ["type": "integer", "minimum": 1, "maximum": 400],
                    "How many, up to today. Default 28."
                )
            ]
            return training
        }(),
        owned(
            .get, "/cheers", "The last cheers, newest first; they are kept in memory.",
            [.json(OpenAPISchemas.list(reference("Cheer")))]),
        owned(.get, "/profile", "The runner's profile.", [.json(reference("Profile"))]),
        owned(
            .put, "/profile", "Changes it; what is absent stays.", body: json("Profile"),
            [.json(reference("Profile")), .badRequest, .notWritable]),
        owned(.get, "/zones", "What is hidden from every viewer.", [.json(reference("Zones"))]),
        owned(
            .put, "/zones", "Changes it; what is absent stays.", body: json("Zones"),
            [.json(reference("Zones")), .badRequest, .notWritable]),
        owned(
            .get, "/course", "The course, as it was sent.",
            [.file("application/gpx+xml", description: "GPX."), .notFound]),
        owned(
            .put, "/course", "A course to follow.",
            body: OpenAPIOperation.Body(
                type: "application/gpx+xml", schema: OpenAPISchemas.text),
            [.json(reference("Course")), .badRequest, .notWritable]),
        owned(
            .delete, "/course", "No course any more.", [.empty(204, "Done."), .notWritable]),
    ]
}
