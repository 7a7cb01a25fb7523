import Testing

@testable import Recordings

@Suite struct XMLReaderTests {
    private func events(_ text: String) throws -> [XMLEvent] {
        var reader = XMLReader(Array(text.utf8))
        var events: [XMLEvent] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    @Test func `Names are local, entities are characters, blanks are nothing`() throws {
        let text = """
            \u{FEFF}<?xml version="1.0"?><!-- c --><x:a b='1&lt;2' y:c="&#65;&#x42;">
              <d/> t&amp;u<![CDATA[<raw>]]></x:a>
            """
        #expect(
            try events(text) == [
                .start(
                    name: "a",
                    attributes: [
                        XMLAttribute(name: "b", value: "1<2"), XMLAttribute(name: "c", value: "AB"),
                    ]),
                .start(name: "d", attributes: []), .end(name: "d"), .text(" t&u"),
                .text("<raw>"), .end(name: "a"),
            ])
    }

    @Test func `Latin-1 is read where the document says so`() throws {
        var bytes = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8)
        bytes += [0xE9] + Array("</a>".utf8)
        var reader = XMLReader(bytes)
        _ = try reader.next()
        #expect(try reader.next() == .text("é"))
    }

    @Test(arguments: [
        ("", "no element"), ("<a>", "the file ends inside <a>"),
        ("<a></b>", "</b> where </a> was expected"), ("<a/><b/>", "a second document"),
        ("text", "text outside of the document"), ("<a b=1/>", "attribute b without quotes"),
        ("<a b></a>", "attribute b without a value"), ("<a>&x;</a>", "an unknown entity"),
        ("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "a DOCTYPE with declarations, which is not allowed"),
        ("<a><![CDATA[</a>", "an unfinished CDATA"), ("<a", "an unfinished <a>"),
        (
            "<?xml version='1.0' encoding='UTF-16'?><a/>",
            "UTF-16 is not supported, save it as UTF-8"
        ),
        ("<1>&#xD800;</1>", "an unknown entity"), ("< a/>", "a name expected"),
    ])
    func `A broken document says what is wrong`(text: String, problem: String) {
        let error = #expect(throws: XMLProblem.self) { try events(text) }
        #expect(error?.problem == problem)
    }

    @Test func `Nesting is bounded`() {
        let deep = String(repeating: "<a>", count: 100_000)
        let error = #expect(throws: XMLProblem.self) { try events(deep) }
        #expect(error?.problem == "elements nested too deep")
    }
}
