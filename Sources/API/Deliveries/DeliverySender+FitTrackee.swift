import Client
import Foundation
import Registry
import Runtime
import SensorModel
import Transport

/// What a FitTrackee server needs besides the upload (its API documentation).
extension DeliverySender {
    /// Most workouts of a few days that are looked at.
    private static let workoutsMax = 100

    /// Renews an access token, and keeps the new ones before they are used: the refresh token is
    /// spent.
    ///
    /// - Returns: Why there is no new token; `nil`: `target` has it.
    func renewToken(
        of target: inout DeliveryTarget, for device: DeviceID
    ) async throws -> DeliveryOutcome? {
        struct Tokens: Decodable {
            let access_token: String
            let refresh_token: String?
        }
        var secret = FitTrackeeSecret(target.secret)
        guard let client = secret.client else {
            return .failed("the access token is not valid any more: set it again")
        }
        let address = try DeliveryRequest.address(of: target)
        var form = MultipartForm(boundary: "pulsecast-" + UUID().uuidString)
        form.append("grant_type", "refresh_token")
        form.append("client_id", client.id)
        form.append("client_secret", client.secret)
        form.append("refresh_token", client.refreshToken)
        let answer = try await self.client(for: address).send(
            .post, DeliveryRequest.path("/api/oauth/token", below: address),
            fields: ["Content-Type": form.contentType], body: form.bytes + form.end)
        guard answer.status == 200,
            let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(answer.body))
        else {
            return answer.status == 400 || answer.status == 401
                ? .failed("its server renews the access token no more: set the secret again")
                : .retry("its server renewed no access token (\(answer.status))")
        }
        let refresh = tokens.refresh_token
        guard FitTrackeeSecret.isUsable(tokens.access_token),
            refresh.map({ FitTrackeeSecret.isUsable($0) && !$0.contains(":") }) ?? true
        else { return .failed("its server's tokens are none that can be kept") }
        secret.renew(tokens.access_token, refreshToken: tokens.refresh_token)
        let before = target
        target.secret = secret.text
        let accounts = administration.accounts
        let isKept = await administration.changes.run { [target] in
            accounts.changing {
                let isUnchanged = (try? accounts.targets(of: device))?.contains(before) ?? false
                return isUnchanged && (try? accounts.putTarget(target, of: device)) != nil
            }
        }
        return isKept ? nil : .retry("the new access token could not be kept")
    }

    /// Seconds after the start of a run within which its first position comes.
    private static let startSeconds = 3600.0

    /// Looks whether the server has a workout that began with the run. An access token that is over
    /// is renewed.
    ///
    /// - Returns: `nil`: it has none.
    func look(
        for run: DeliveredRun, at target: inout DeliveryTarget, of device: DeviceID,
        isRenewed: Bool = false
    ) async throws -> DeliveryOutcome? {
        struct Answer: Decodable {
            struct Workouts: Decodable { let workouts: [Workout] }
            struct Workout: Decodable { let workout_date: String }
            let data: Workouts
        }
        let address = try DeliveryRequest.address(of: target)
        // Dates are of the user's time zone there.
        let from = run.times.lowerBound.advanced(bySeconds: -86_400).iso8601(decimals: 0)
        let to = run.times.upperBound.advanced(bySeconds: 86_400).iso8601(decimals: 0)
        let path = DeliveryRequest.path("/api/workouts", below: address)
        let token = FitTrackeeSecret(target.secret).accessToken ?? ""
        let answer = try await client(for: address).send(
            .get,
            "\(path)?from=\(from.prefix(10))&to=\(to.prefix(10))&per_page=\(Self.workoutsMax)",
            fields: ["Authorization": "Bearer \(token)"])
        guard answer.status == 200,
            let found = try? JSONDecoder().decode(Answer.self, from: Data(answer.body))
        else {
            if answer.status == 401, !isRenewed, FitTrackeeSecret(target.secret).client != nil {
                if let refusal = try await renewToken(of: &target, for: device) { return refusal }
                return try await look(for: run, at: &target, of: device, isRenewed: true)
            }
            guard [401, 403].contains(answer.status) else {
                return .retry("its server does not say which workouts it has (\(answer.status))")
            }
            return .failed(
                "its server may have the run from an earlier try, and does not let the token read"
                    + " workouts (\(answer.status)): look there, and send it again")
        }
        // The server cuts parts of a second off.
        let first = run.times.lowerBound.secondsSince1970.rounded(.down)
        let last = min(first + Self.startSeconds, run.times.upperBound.secondsSince1970)
        let span = first...max(first, last)
        let isThere = found.data.workouts.contains { workout in
            Self.seconds(of: workout.workout_date).map(span.contains) ?? false
        }
        return isThere ? .delivered : nil
    }

    /// Seconds since 1970 of `Tue, 26 Apr 2016 14:42:30 GMT` (RFC 9110, 5.6.7).
    private static func seconds(of text: String) -> Double? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text)?.timeIntervalSince1970
    }
}
