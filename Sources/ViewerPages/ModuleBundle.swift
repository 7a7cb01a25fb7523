/// Joins JavaScript modules into one script, for a file without network access.
///
/// It supports only our own modules. An import is one statement at the start of a line and names a
/// file beside it. An export precedes the declaration that it exports.
struct ModuleBundle {
    let sources: [String: [UInt8]]

    /// The modules in their order, each in a function of its own, so that names cannot collide.
    func script(of names: [String]) -> String {
        var script = "const modules = {};\n"
        for name in names {
            let module = Module(String(decoding: sources[name] ?? [], as: UTF8.self))
            script += """
                modules["\(name)"] = (() => {
                \(module.text)
                return { \(module.exports.joined(separator: ", ")) };
                })();

                """
        }
        return script
    }
}

/// One module, without import and export syntax.
private struct Module {
    private(set) var text = ""
    private(set) var exports: [String] = []

    init(_ source: String) {
        var statement = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if !statement.isEmpty || line.hasPrefix("import ") {
                statement += line
                guard line.hasSuffix(";") else { continue }
                text += Self.imported(statement) + "\n"
                statement = ""
            } else if line.hasPrefix("export ") {
                let declaration = line.dropFirst("export ".count)
                exports.append(Self.name(in: declaration))
                text += declaration + "\n"
            } else {
                text += line + "\n"
            }
        }
    }

    /// Rewrites `import { a } from "./b.js";` as `const { a } = modules["b.js"];`.
    private static func imported(_ statement: String) -> String {
        let quoted = statement.split(separator: "\"")
        guard quoted.count >= 2 else { return statement }
        let file = quoted[1].dropFirst("./".count)
        var names = quoted[0].dropFirst("import ".count)
        if names.hasSuffix(" from ") { names = names.dropLast(" from ".count) }
        if names.hasPrefix("* as ") { names = names.dropFirst("* as ".count) }
        return "const \(names) = modules[\"\(file)\"];"
    }

    /// The word after `function`, `const`, `class`, `let` and the like.
    private static func name(in declaration: Substring) -> String {
        let keywords: Set<Substring> = ["async", "function", "function*", "const", "let", "class"]
        let words = declaration.split { " (={;".contains($0) }
        return words.first { !keywords.contains($0) }.map(String.init) ?? ""
    }
}
