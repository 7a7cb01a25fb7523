import Registry
import Runtime
import SegmentLog
import Sharing
package import Transport

/// Runs an endpoint's work and maps its errors to responses with the right status.
package func answer(_ work: () async throws -> HTTPResponse) async -> HTTPResponse {
    do {
        return try await work()
    } catch let refusal as APIRefusal {
        return refusal.response
    } catch let error as RegistryError {
        return APIAnswer.refusal(of: error).response
    } catch let error as AdministrationError {
        return APIAnswer.refusal(of: error).response
    } catch let error as ShareError {
        return APIAnswer.refusal(of: error).response
    } catch let refusal as ReadRefusal {
        return ReadAnswer.response(to: refusal)
    } catch {
        return APIRefusal.failed("\(error)").response
    }
}

private enum APIAnswer {
    static func refusal(of error: RegistryError) -> APIRefusal {
        switch error {
        case .unknownDevice, .unknownShare, .unknownZone, .unknownReceiver, .unknownTarget:
            .notFound("\(error)")
        case .nameTaken, .zonesFull, .notesFull, .receiversFull, .targetsFull, .deliveriesFull:
            .conflict("\(error)")
        case .notWritable, .unreadable, .notReplicated: .unavailable("\(error)")
        case .schemaIsNewer, .folderNotCreated, .damagedRow, .database: .failed("\(error)")
        }
    }

    static func refusal(of error: ShareError) -> APIRefusal {
        switch error {
        case .nameInvalid, .publicNameInvalid, .publicNameOfGroup, .groupSize, .delayOutOfRange,
            .maxViewersOutOfRange, .alreadyExpired, .scopeEmpty:
            .badValue("\(error)")
        case .nameTaken, .groupMemberUnknown, .groupMemberUnfit, .groupDelaysDiffer, .isOver,
            .tooManyOfDevice, .nameAmbiguous, .publicNameTaken, .publicNameSecond, .tooManyGroups,
            .isMember, .runnerTaken:
            .conflict("\(error)")
        case .invitationOver: .notFound("\(error)")
        }
    }

    static func refusal(of error: AdministrationError) -> APIRefusal {
        switch error {
        case .unknownSession: .notFound("\(error)")
        case .tooManyDeletions(let seconds), .tooManyChanges(let seconds),
            .tooManyRequests(let seconds):
            .tooMany("\(error)", retryAfterSeconds: seconds)
        case .deviceName(let name):
            .badField(
                name: "device",
                allowed: "a name of 1 to 64 letters, digits, spaces, - _ or ., not \(name)")
        case .badField(let name, let allowed): .badField(name: name, allowed: allowed)
        case .tooManyCodes, .tooManyPlaybacks, .tooManyCourses, .changedMeanwhile:
            .conflict("\(error)")
        case .revokedInMemory, .revokedOnThisNode: .unavailable("\(error)")
        }
    }
}
