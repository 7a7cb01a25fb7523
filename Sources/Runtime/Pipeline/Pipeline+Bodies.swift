package import SensorModel
import Transport

extension Pipeline {
    /// Parses a request's body. Long bodies are parsed on separate threads, so that those of one
    /// device delay neither another device's nor short ones.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - device: The device that sent it.
    ///   - isFile: Whether the body is a file, which takes long even if it is short: it may be
    ///     packed.
    ///   - work: Parses the body.
    /// - Returns: The result of `work`.
    /// - Throws: ``ReadRefusal``, and errors of `work`.
    package func reading<Result: Sendable>(
        _ bytes: [UInt8], of device: DeviceID, isFile: Bool = false,
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard isFile || bytes.count > Router.bodyBytesMax else { return try work() }
        return try await bodies.run(for: .device(device)) { _ in try work() }
    }
}
