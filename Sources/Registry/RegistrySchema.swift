import GRDB

/// The tables, version by version. A released version is never edited: a change is a new entry at
/// the end.
///
/// Times are microseconds since 1970. Secrets are hashed or sealed. 0 never means "unknown".
enum RegistrySchema {
    static let versions: [String] = [
        version1, version2, version3, version4, version5, version6,
    ]

    /// Migrates an older registry to the current version.
    ///
    /// - Throws: ``RegistryError/schemaIsNewer(found:known:)``, or SQLite's error.
    static func migrate(_ database: Database) throws {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard found <= versions.count else {
            throw RegistryError.schemaIsNewer(found: found, known: versions.count)
        }
        for version in found..<versions.count {
            try database.execute(sql: versions[version])
            try database.execute(sql: "PRAGMA user_version = \(version + 1)")
        }
    }

    /// Numbers of devices and shares are never reused (AUTOINCREMENT), because the log refers to
    /// them.
    private static let version1 = """
        CREATE TABLE device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            nameKey TEXT NOT NULL UNIQUE,
            tokenHash BLOB NOT NULL UNIQUE,
            sealedProofKey BLOB NOT NULL,
            createdAt INTEGER NOT NULL,
            revokedAt INTEGER,
            lastSeenAt INTEGER,
            profile TEXT NOT NULL,
            privacySalt INTEGER NOT NULL,
            trimStartMeters REAL NOT NULL DEFAULT 0,
            trimFinishMeters REAL NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE share (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            nameKey TEXT NOT NULL UNIQUE,
            idHash BLOB NOT NULL UNIQUE,
            sealedID BLOB NOT NULL,
            device INTEGER REFERENCES device(id) ON DELETE CASCADE,
            scope INTEGER NOT NULL,
            delaySeconds INTEGER NOT NULL,
            expiresAt INTEGER,
            maxViewers INTEGER,
            label TEXT,
            createdAt INTEGER NOT NULL,
            revokedAt INTEGER,
            viewersEver INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX shareByDevice ON share(device);
        CREATE TABLE groupMember (
            groupShare INTEGER NOT NULL REFERENCES share(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            member INTEGER NOT NULL REFERENCES share(id) ON DELETE CASCADE,
            PRIMARY KEY (groupShare, position)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX groupMemberByMember ON groupMember(member);
        CREATE TABLE zone (
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            nameKey TEXT NOT NULL,
            name TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            radiusMeters REAL NOT NULL,
            offsetEastMeters REAL NOT NULL,
            offsetNorthMeters REAL NOT NULL,
            PRIMARY KEY (device, nameKey)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE session (
            id BLOB PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            startedAt INTEGER NOT NULL,
            endedAt INTEGER,
            firstDeviceTime INTEGER,
            lastDeviceTime INTEGER,
            state INTEGER NOT NULL,
            recorded INTEGER NOT NULL,
            frames INTEGER NOT NULL,
            distanceMeters REAL,
            movingSeconds REAL,
            elapsedSeconds REAL,
            steps INTEGER,
            averageHeartRate REAL,
            maxHeartRate REAL,
            elevationGainMeters REAL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessionByDevice ON session(device, startedAt);
        CREATE TABLE shortCode (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            share INTEGER NOT NULL REFERENCES share(id) ON DELETE CASCADE,
            sealedCode BLOB NOT NULL,
            expiresAt INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE usedProof (
            proof BLOB PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            sentAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX usedProofBySentAt ON usedProof(sentAt);
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            time INTEGER NOT NULL,
            share INTEGER REFERENCES share(id) ON DELETE CASCADE,
            kind INTEGER NOT NULL,
            addressName TEXT NOT NULL
        ) STRICT;
        CREATE INDEX auditByShare ON audit(share, id);
        CREATE TABLE course (
            device INTEGER PRIMARY KEY REFERENCES device(id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            gpx BLOB NOT NULL,
            changedAt INTEGER NOT NULL
        ) STRICT;
        """

    /// Adds whether the heart rate is shown while the position is hidden. A zone's offset is not
    /// stored any more, but derived from its place and the device's salt.
    private static let version2 = """
        ALTER TABLE device ADD COLUMN showsHeartRate INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE zone DROP COLUMN offsetEastMeters;
        ALTER TABLE zone DROP COLUMN offsetNorthMeters;
        """

    /// Adds results of sessions, each bound to the state of the log it was computed from. The
    /// replaced table was always empty. `log` has one row: the epoch of the log that belongs to
    /// this registry.
    ///
    /// Names of shares are unique per device, not in the whole registry: a refused name would tell
    /// an owner what other owners call their shares.
    private static let version3 = """
        DROP TABLE session;
        CREATE TABLE session (
            id BLOB PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            epoch INTEGER NOT NULL,
            lastOffset INTEGER NOT NULL,
            state INTEGER,
            distanceMeters REAL,
            movingSeconds REAL,
            elapsedSeconds REAL,
            steps INTEGER,
            averageHeartRate REAL,
            maxHeartRate REAL,
            elevationGainMeters REAL,
            hrTSS REAL,
            effortKm REAL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessionByDevice ON session(device);
        CREATE TABLE log (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL
        ) STRICT;
        UPDATE share SET nameKey = coalesce(CAST(device AS TEXT), '') || char(10) || nameKey;
        """

    /// Adds the public name of a share. It is not unique here, because a new share may take the
    /// name of one that is over.
    private static let version4 = "ALTER TABLE share ADD COLUMN publicName TEXT;"

    /// Adds what owners write about their sessions, and whom they want told of alerts.
    private static let version5 = """
        CREATE TABLE sessionNote (
            session BLOB PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            name TEXT,
            text TEXT,
            exertion INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessionNoteByDevice ON sessionNote(device);
        CREATE TABLE receiver (
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            nameKey TEXT NOT NULL,
            name TEXT NOT NULL,
            silentMinutes INTEGER,
            share INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (device, nameKey)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE alertLink (
            share INTEGER PRIMARY KEY REFERENCES share(id) ON DELETE CASCADE
        ) STRICT;
        CREATE TABLE openAlert (
            session BLOB NOT NULL,
            topic TEXT NOT NULL,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            since INTEGER NOT NULL,
            raisedAt INTEGER NOT NULL,
            detail TEXT,
            sealedSecret BLOB NOT NULL,
            confirmedBy TEXT,
            PRIMARY KEY (session, topic)
        ) STRICT, WITHOUT ROWID;
        """

    /// Adds where finished runs are delivered, and what of them was; and whose a group is.
    private static let version6 = """
        CREATE TABLE deliveryTarget (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            nameKey TEXT NOT NULL,
            name TEXT NOT NULL,
            madeAt INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            UNIQUE (device, nameKey)
        ) STRICT;
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            target INTEGER NOT NULL REFERENCES deliveryTarget(id) ON DELETE CASCADE,
            session BLOB NOT NULL,
            device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
            state TEXT NOT NULL,
            tries INTEGER NOT NULL,
            changedAt INTEGER NOT NULL,
            dueAt INTEGER NOT NULL,
            frames INTEGER,
            reason TEXT,
            UNIQUE (target, session)
        ) STRICT;
        ALTER TABLE share ADD COLUMN groupOwner INTEGER REFERENCES device(id) ON DELETE CASCADE;
        CREATE INDEX shareByGroupOwner ON share(groupOwner);
        CREATE INDEX deliveryByDevice ON delivery(device, id);
        CREATE INDEX deliveryBySession ON delivery(session);
        CREATE INDEX deliveryWaiting ON delivery(target) WHERE state = 'waiting';
        """
}
