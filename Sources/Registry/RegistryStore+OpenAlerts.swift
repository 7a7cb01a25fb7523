import Foundation
import GRDB
public import SensorModel

/// Alerts that are open, and the links that were made for them.
extension RegistryStore {
    public func putOpenAlert(_ alert: OpenAlert) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO openAlert
                        (session, topic, device, since, raisedAt, detail, sealedSecret,
                            confirmedBy)
                        SELECT ?, ?, id, ?, ?, ?, ?, ? FROM device WHERE id = ?
                    """,
                arguments: [
                    alert.session.column, alert.topic, alert.since.column,
                    alert.raisedAt.column, alert.detail, Data(alert.sealedSecret),
                    alert.confirmedBy, alert.device.rawValue,
                ])
        }
    }

    public func removeOpenAlert(of session: SessionID, topic: String) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM openAlert WHERE session = ? AND topic = ?",
                arguments: [session.column, topic])
        }
    }

    public func openAlerts() throws(RegistryError) -> [OpenAlert] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM openAlert ORDER BY raisedAt").map {
                OpenAlert(
                    session: try Self.session(of: $0, table: "openAlert"),
                    device: $0.device("device"), topic: $0["topic"],
                    since: $0.moment("since"), raisedAt: $0.moment("raisedAt"),
                    detail: $0["detail"], sealedSecret: $0.bytes("sealedSecret"),
                    confirmedBy: $0["confirmedBy"])
            }
        }
    }

    /// Keeps that a share's link was made for an alert, so that it ends with the alert, after a
    /// restart too.
    public func putAlertLink(_ share: ShareKey) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO alertLink (share) SELECT id FROM share WHERE id = ?",
                arguments: [share.rawValue])
        }
    }

    public func removeAlertLink(_ share: ShareKey) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM alertLink WHERE share = ?", arguments: [share.rawValue])
        }
    }

    public func alertLinks() throws(RegistryError) -> [ShareKey] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT share FROM alertLink").map {
                $0.share("share")
            }
        }
    }
}
