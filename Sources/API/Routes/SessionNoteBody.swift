import Bytes
import Foundation
import Registry

/// What an owner writes about a session. An absent field changes nothing; an empty text, or an
/// exertion of 0, removes.
struct SessionNoteBody: StrictBody {
    static var fields: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, notes, exertion
    }

    var name: String?
    var notes: String?
    var exertion: Int?

    /// - Returns: The note with this body's fields.
    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    func applied(to note: SessionNote) throws(APIRefusal) -> SessionNote {
        var changed = note
        if let name {
            changed.name = try Self.text(name, "name", charactersMax: SessionNote.nameCharactersMax)
        }
        if let notes {
            changed.text = try Self.text(
                notes, "notes", charactersMax: SessionNote.textCharactersMax)
        }
        if let exertion {
            guard exertion == 0 || SessionNote.exertions.contains(exertion) else {
                throw .badField(name: "exertion", allowed: "1 to 10, and 0 for none")
            }
            changed.exertion = exertion == 0 ? nil : exertion
        }
        guard changed.bytes <= SessionNote.bytesMax else {
            throw .badField(
                name: "notes", allowed: "\(SessionNote.bytesMax) bytes together with the name")
        }
        return changed
    }

    /// The cleaned text; `nil` if nothing is left. A text that is too long is refused, not cut.
    private static func text(
        _ text: String, _ name: String, charactersMax: Int
    ) throws(APIRefusal) -> String? {
        guard text.count <= charactersMax else {
            throw .badField(name: name, allowed: "up to \(charactersMax) characters")
        }
        // Composed, so that a search finds what looks the same.
        let clean = CleanText.clean(text, charactersMax: charactersMax)
            .precomposedStringWithCanonicalMapping
        return clean.isEmpty ? nil : clean
    }
}

/// A note in an answer.
struct SessionNoteRow: Encodable {
    let name: NullableField<String>
    let notes: NullableField<String>
    let exertion: NullableField<Int>

    init(_ note: SessionNote) {
        name = NullableField(note.name)
        notes = NullableField(note.text)
        exertion = NullableField(note.exertion)
    }
}
