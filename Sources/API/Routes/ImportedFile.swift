import Compression
import Recordings
import Runtime
import SensorModel
import WireFormat

/// Reads a file that a device's owner sends, within the memory that is reserved for it.
struct ImportedFile {
    let recording: Recording

    /// Bytes of the longest file, expanded.
    private static let (bytesMax, fitBytesMax) = (16 << 20, 4 << 20)
    /// Bytes of a value while it is read, both as in the file and as a device sends it.
    private static let itemBytes = 500
    /// Fewest bytes of a value in a file. A text with shorter values is read again, with more room.
    private static let (fitItemBytes, textItemBytes) = ([4], [20, 8])
    /// Values that fit beside the file into the reservation of one device.
    private static let itemsMax =
        (ExportBudget.deviceBytesMax - bytesMax - (1 << 20)) / itemBytes

    /// - Throws: ``APIRefusal``, ``ReadRefusal``
    init(name: String, _ body: [UInt8], _ reservation: ExportBudget.Reservation) throws {
        let file = try Self.expanded(body, name: name, reservation)
        let isFIT = file.dropFirst(8).starts(with: Array(".FIT".utf8))
        guard file.count <= (isFIT ? Self.fitBytesMax : Self.bytesMax) else {
            throw Self.tooLarge(name)
        }
        do {
            recording = try Self.read(
                file, name: name, itemBytes: (isFIT ? Self.fitItemBytes : Self.textItemBytes)[...],
                reservation)
        } catch let error as RecordingError {
            throw APIRefusal.badValue("\(error)")
        } catch let error as FrameRefusal {
            throw APIRefusal.badValue("\(name) has a value that no device could send: \(error)")
        }
    }

    /// Reads the file with room for its length divided by the first of `itemBytes`, then the next.
    private static func read(
        _ file: [UInt8], name: String, itemBytes: ArraySlice<Int>,
        _ reservation: ExportBudget.Reservation
    ) throws -> Recording {
        let items = itemBytes.first.map { file.count / $0 } ?? 0
        let itemsMax = min(max(items, 1000), Self.itemsMax)
        let reserved = file.count + itemsMax * Self.itemBytes
        if let refusal = reservation.take(reserved) { throw refusal }
        do {
            let recording = try Recording.read(
                name: name, contents: .file(file), itemsMax: itemsMax
            ).sent()
            // Recording takes seconds, but less memory: the rest is freed for others' exports.
            _ = reservation.take(min(reserved, PushRoom.bytes(of: recording.frames)))
            return recording
        } catch RecordingError.tooMuch where itemBytes.count > 1 {
            return try read(file, name: name, itemBytes: itemBytes.dropFirst(), reservation)
        }
    }

    private static func expanded(
        _ body: [UInt8], name: String, _ reservation: ExportBudget.Reservation
    ) throws -> [UInt8] {
        guard Gzip.recognizes(body) else { return body }
        var refusal: ReadRefusal?
        do throws(Gzip.Failure) {
            return try Gzip.expand(body) { bytes in
                refusal = bytes <= bytesMax ? reservation.take(bytes) : .tooLong
                return refusal == nil
            }
        } catch .malformed {
            throw APIRefusal.badValue("\(name) is not a whole gzip file")
        } catch {
            if let refusal, refusal != .tooLong { throw refusal }
            throw tooLarge(name)
        }
    }

    private static func tooLarge(_ name: String) -> APIRefusal {
        .badValue(
            "\(name) is too large: at most \(bytesMax >> 20) MiB, a FIT file "
                + "\(fitBytesMax >> 20) MiB; pulsecast push has no limit")
    }
}
