import GRDB

/// The log that belongs to the registry.
extension RegistryStore {
    /// Epoch of the log; `nil`: none was stored yet.
    public func logEpoch() throws(RegistryError) -> UInt32? {
        try read { try UInt32.fetchOne($0, sql: "SELECT epoch FROM log WHERE id = 1") }
    }

    public func setLogEpoch(_ epoch: UInt32) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO log (id, epoch) VALUES (1, ?)",
                arguments: [Int64(epoch)])
        }
    }
}
