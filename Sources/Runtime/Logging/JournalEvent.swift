package import Logging

/// Event IDs for the journal: `journalctl MESSAGE_ID=…` finds an event whatever its message text.
/// An ID is never changed or reused.
package enum JournalEvent: String, CaseIterable {
    case listening = "c2352e40dbbf40b2a2fc14061a7e59a8"
    case stopped = "41c537cba6264ddbbb66c3be933b8130"
    case logRecovered = "cc426fdd3d0d4b6b89c0332a41e34bbc"
    case tornTailCut = "03ebfa550cb546538e27f9766d0ece1c"
    case logDamaged = "ea734f54d36447b3bb1a929b8f07cc98"
    case logFailed = "f23c804c33ee429ebb60d0a0709bb56d"
    case logWrittenAgain = "9d30f65fa4ac4742aee0d2077ab96ea2"
    case registryFailed = "3806d12562314ab5a93d3a09493ccba7"
    case registryWrittenAgain = "2a7762e0d6fe4e279d3e50e03ac03267"
    case waiting = "8453ae89288f4a29aa2642219efa3294"
    case stageHangs = "51eda0d11e904f3da121c11981770503"
    case reloaded = "3c03d66c5b0940a5a15ed3a179609072"
    case restartNeeded = "4a7fc833d03e42ac915cc33b327ba5da"
    case certificateRead = "1ceec13e5cac4b43bf3f312cc18aa38f"
    case sessionBegan = "7feaecc3119244f5990e5047964fdaea"
    case sessionOver = "d189582b650340b18b273a288af13c90"
    case framesMissing = "2944d8e86a504682b1ddbabea832af8d"
    case alert = "17f1f2d55bca4c038aa9c9fff3d2423e"
    case deviceChanged = "24822b181c4543609e732965a0ae9514"
    case shareChanged = "ed71085e5fca4e09812ca55dba81db62"
    case registryDisagrees = "4102db0f9f394bb68a29c3f7475c4415"
    case erased = "4fe88913dfe046f2a6db4d2a7eb961a3"
    case administration = "502a6bc0b39545018e91e34789899c2b"
    case clusterLeads = "d0c6a2f1b77e4c0e9a54f7e82c1b9d36"

    /// The metadata key of the ID.
    package static let key = "messageID"
}

extension Logger {
    /// Logs a line with its event's ID.
    package func log(
        _ event: JournalEvent, _ level: Logger.Level, _ message: Logger.Message,
        _ metadata: Logger.Metadata = [:]
    ) {
        var metadata = metadata
        metadata[JournalEvent.key] = "\(event.rawValue)"
        log(level: level, message, metadata: metadata)
    }
}
