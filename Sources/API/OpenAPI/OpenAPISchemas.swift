/// Schemas of the API's objects, by name.
enum OpenAPISchemas {
    static func reference(_ name: String) -> OpenAPINode {
        ["$ref": .text("#/components/schemas/\(name)")]
    }

    static let number: OpenAPINode = ["type": "number"]
    static let integer: OpenAPINode = ["type": "integer"]
    static let text: OpenAPINode = ["type": "string"]
    static let flag: OpenAPINode = ["type": "boolean"]
    static let optionalNumber: OpenAPINode = ["type": ["number", "null"]]

    static func list(_ element: OpenAPINode) -> OpenAPINode {
        ["type": "array", "items": element]
    }

    static func object(
        _ members: [String: OpenAPINode], required: [String] = []
    ) -> OpenAPINode {
        [
            "type": "object", "properties": .object(members),
            "required": .array(required.map(OpenAPINode.text)),
        ]
    }

    /// The schema of a ``StrictBody``.
    private static func exactly(_ members: [String: OpenAPINode]) -> OpenAPINode {
        ["type": "object", "properties": .object(members), "additionalProperties": false]
    }

    static let all: [String: OpenAPINode] = [
        "Failure": object(["code": integer, "reason": text], required: ["code", "reason"]),
        "Event": event, "History": history, "Overview": overview, "Cheer": cheer, "Device": device,
        "Session": session, "Share": share, "Open": open, "NewShare": newShare, "Command": command,
        "SentCommand": sentCommand,
        "Profile": profile, "Zones": zones, "Course": course, "Imported": imported,
        "HeartBeat": heartBeat,
        "Pulsoid": pulsoid, "Erased": erased, "Weeks": weeks, "Setup": setup,
        "Training": training, "SessionNote": sessionNote,
        "Farewell": exactly(["device": text]),
        "Group": group, "NewInvitation": exactly(["expires": text]),
        "NewGroup": exactly([
            "label": text, "runner": text, "scope": text, "expires": text,
        ]),
        "Join": exactly(["invitation": text, "runner": text, "scope": text]),
        "Invitation": object(
            ["invitation": text, "url": text, "expiresAt": number],
            required: ["invitation", "url", "expiresAt"]),
        "Code": object(["code": text, "expiresAt": number], required: ["code", "expiresAt"]),
        "Target": target, "NewTarget": newTarget, "Delivery": delivery,
        "NewDelivery": exactly(["target": text, "session": text]),
        "Receiver": receiver, "NewReceiver": newReceiver, "Tried": tried, "Confirmed": confirmed,
    ]

    /// A snapshot, an update or an event; unknown and out-of-scope values are absent.
    private static let event = object(
        [
            "type": [
                "type": "string", "enum": ["snapshot", "update", "event", "gap", "end", "group"],
            ],
            "cursor": text, "time": number,
            "state": [
                "type": "string", "enum": ["waiting", "live", "stale", "paused", "ended"],
            ],
            "heartRate": ["type": "object"], "cadence": ["type": "object"], "steps": integer,
            "distanceMeters": number, "speedMetersPerSecond": number,
            "paceSecondsPerKm": number, "elapsedSeconds": number, "movingSeconds": number,
            "position": ["type": "object"], "splits": list(["type": "object"]),
            "zoneSeconds": list(number), "course": progress, "powerWatts": number,
            "measured": list(["type": "object"]),
        ], required: ["type"])

    /// Progress on the course: the next checkpoint, and all checkpoints ahead.
    private static let progress = object([
        "checkpoint": text, "predictedSeconds": number, "offCourse": ["type": "boolean"],
        "ahead": list(object(["checkpoint": text, "predictedSeconds": number])),
    ])

    private static let open = object(
        ["at": number, "event": text, "visitor": text], required: ["at", "event", "visitor"])

    private static let history = object(
        [
            "items": list(reference("Event")), "nextCursor": ["type": ["string", "null"]],
            "more": flag,
        ], required: ["items", "nextCursor", "more"])

    private static let values = list(["type": ["number", "null"]])

    /// All columns are of the same length. Those outside the scope are absent, as are those that were
    /// not asked for.
    private static let overview = object(
        [
            "type": text, "runner": text, "cursor": ["type": ["string", "null"]],
            "stepSeconds": integer, "start": number,
            "points": object(
                [
                    "seconds": list(number), "bpm": values, "zone": values,
                    "stepsPerMinute": values, "distanceMeters": values,
                    "speedMetersPerSecond": values, "paceSecondsPerKm": values,
                    "latitude": values, "longitude": values, "altitudeMeters": values,
                    "paused": values,
                ], required: ["seconds"]),
            "events": list(reference("Event")), "eventsOmitted": integer,
        ], required: ["type", "cursor", "stepSeconds", "points"])

    private static let cheer = object(
        ["text": ["type": "string", "minLength": 1, "maxLength": 80], "time": number],
        required: ["text"])

    private static let setup = object(
        ["app": text, "link": text, "isDeepLink": flag, "steps": list(text)],
        required: ["app", "link", "isDeepLink", "steps"])

    private static let weeks = object(
        [
            "runners": list(
                object(
                    [
                        "runner": text,
                        "week": object(
                            ["start": text, "days": list(flag)], required: ["start", "days"]),
                    ], required: ["week"]))
        ], required: ["runners"])

    private static let training = object(
        [
            "timeZone": text, "sessionsPending": integer,
            "days": list(
                object(
                    [
                        "day": ["type": "string", "format": "date"], "load": number,
                        "sessions": integer, "sessionsByExertion": integer,
                        "sessionsByEffort": integer,
                        "fitness": optionalNumber, "fatigue": optionalNumber,
                        "form": optionalNumber, "acuteToChronic": optionalNumber,
                        "monotony": optionalNumber,
                        "monotonyLevel": ["type": ["string", "null"]],
                        "warning": ["type": ["string", "null"]],
                    ], required: ["day", "load", "sessions", "fitness", "fatigue", "form"])),
            "weeks": list(
                exactly([
                    "start": ["type": "string", "format": "date"], "sessions": integer,
                    "distanceKm": number, "climbMeters": number, "movingSeconds": number,
                    "load": number,
                ])),
            "heartRateDrift": [
                "type": ["object", "null"],
                "properties": ["percent": number, "runs": integer, "isWarned": flag],
            ],
        ], required: ["timeZone", "sessionsPending", "days", "weeks", "heartRateDrift"])

    private static let device = object(
        [
            "device": text, "createdAt": number, "revoked": flag, "lastSeen": optionalNumber,
            "sessions": integer, "hasCourse": flag,
        ], required: ["device", "createdAt", "revoked", "sessions", "hasCourse"])

    private static let session = object(
        [
            "id": ["type": "string", "format": "uuid"], "cursor": text, "device": text,
            "name": ["type": ["string", "null"]], "notes": ["type": ["string", "null"]],
            "exertion": ["type": ["integer", "null"]],
            "startedAt": number, "endedAt": optionalNumber, "state": text,
            "silentSince": optionalNumber, "frames": integer, "records": integer,
            "distanceMeters": optionalNumber, "movingSeconds": optionalNumber,
            "elapsedSeconds": optionalNumber, "averageHeartRate": optionalNumber,
        ], required: ["id", "startedAt", "state", "frames"])

    private static let sessionNote = exactly([
        "name": ["type": ["string", "null"]], "notes": ["type": ["string", "null"]],
        "exertion": ["type": ["integer", "null"], "minimum": 0, "maximum": 10],
    ])

    private static let newReceiver = exactly([
        "kind": ["type": "string", "enum": ["webhook", "ntfy", "mqtt"]],
        "address": ["type": "string", "examples": ["https://ntfy.example/anna-4711"]],
        "secret": text, "silentMinutes": ["type": "integer", "minimum": 3, "maximum": 240],
        "trusted": flag,
    ])

    private static let receiver = object(
        [
            "name": text, "kind": text, "address": text, "hasSecret": flag, "trusted": flag,
            "silentMinutes": ["type": ["integer", "null"]],
            "share": ["type": ["string", "null"]], "warning": text,
        ], required: ["name", "kind", "address", "hasSecret"])

    private static let group = object(
        [
            "name": text, "label": ["type": ["string", "null"]], "isOwn": flag,
            "url": ["type": ["string", "null"]], "expiresAt": optionalNumber,
            "members": list(
                object(
                    ["number": integer, "runner": text, "isOwn": flag, "scope": list(text)],
                    required: ["number", "runner"])),
        ], required: ["name", "isOwn", "members"])

    private static let newTarget = exactly([
        "kind": ["type": "string", "enum": ["webhook", "folder", "intervals", "fittrackee"]],
        "address": ["type": "string", "examples": ["https://fittrackee.example"]],
        "secret": text, "sport": ["type": "integer", "minimum": 1, "maximum": 999],
    ])

    private static let target = object(
        ["name": text, "kind": text, "address": text, "hasSecret": flag, "sport": integer],
        required: ["name", "kind", "address", "hasSecret"])

    private static let delivery = object(
        [
            "session": text, "target": text, "state": text, "tries": integer,
            "changedAt": number, "dueAt": optionalNumber, "reason": ["type": ["string", "null"]],
            "hasGoneOn": flag,
        ], required: ["session", "target", "state", "tries", "changedAt"])

    private static let tried = object(
        ["delivered": flag, "status": ["type": ["integer", "null"]]], required: ["delivered"])

    private static let confirmed = object(["confirmedBy": text], required: ["confirmedBy"])

    private static let share = object(
        [
            "name": text, "id": text, "url": ["type": ["string", "null"]], "device": text,
            "scope": list(text), "expiresAt": optionalNumber, "delaySeconds": integer,
            "maxViewers": ["type": ["integer", "null"]], "label": ["type": ["string", "null"]],
            "public": ["type": ["string", "null"]],
            "viewers": integer, "viewersEver": integer, "revoked": flag, "state": text,
            "group": text, "warning": text,
        ], required: ["name", "scope", "delaySeconds"])

    private static let newShare = exactly([
        "name": text,
        "scope": [
            "oneOf": [["type": "string", "examples": ["heartRate,metrics"]], list(text)]
        ],
        "expires": ["type": "string", "examples": ["24h"]],
        "delay": ["type": "string", "examples": ["5m"]],
        "maxViewers": ["type": "integer", "minimum": 1], "label": text, "device": text,
        "public": ["type": "string", "examples": ["ann"]],
    ])

    private static let command = object(
        [
            "command": [
                "type": "string", "enum": ["start", "stop", "pause", "resume", "lap"],
            ]
        ], required: ["command"])

    private static let sentCommand = object(
        [
            "command": text,
            "sent": [
                "type": "boolean",
                "description": "Whether a connected device has it; else it waits 10 minutes.",
            ],
        ], required: ["command", "sent"])

    private static let profile = exactly([
        "placement": text, "maxHeartRate": integer, "restingHeartRate": integer,
        "thresholdHeartRate": integer, "zones": text, "weightKg": number, "sex": text,
        "timeZone": text, "targetZone": integer, "targetPaceSecondsPerKm": number,
        "raceKm": number, "treadmill": flag, "autoPause": text, "safetyTimerSeconds": number,
        "intervals": text, "strideCalibration": text,
        "zonesFrom": ["type": "string", "format": "date"],
        "pastZones": list(object([:])),
    ])

    private static let zones = exactly([
        "zones": list(
            object(
                [
                    "name": text,
                    "latitude": ["type": "number", "minimum": -90, "maximum": 90],
                    "longitude": ["type": "number", "minimum": -180, "maximum": 180],
                    "radiusMeters": ["type": "number", "minimum": 50, "maximum": 5000],
                ], required: ["name", "latitude", "longitude", "radiusMeters"])),
        "trimStartMeters": ["type": "number", "minimum": 0, "maximum": 2000],
        "trimFinishMeters": [
            "type": "number", "minimum": 0, "maximum": 2000,
            "description": "Shares with positions show everything late: (it + 1400) / 1.1 seconds.",
        ],
        "showHeartRate": flag,
    ])

    private static let course = object([
        "name": text, "points": integer, "checkpoints": list(text), "changedAt": number,
    ])

    private static let heartBeat: OpenAPINode = [
        "type": ["object", "null"],
        "properties": ["bpm": integer, "start": text, "end": text, "source": text],
    ]

    private static let pulsoid = object(
        ["measured_at": integer, "data": object(["heart_rate": integer])],
        required: ["measured_at", "data"])

    private static let imported = object(
        [
            "session": ["type": "string", "format": "uuid"], "format": text, "frames": integer,
            "refused": object([:]), "dropped": object([:]), "notes": list(text),
            "replaced": list(text), "beside": list(text),
        ], required: ["session", "format", "frames"])

    private static let erased = object(["sessionsErased": integer, "bytesErased": integer])
}
