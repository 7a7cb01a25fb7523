import ArgumentParser
import Foundation
import Testing

@testable import pulsecast

extension SystemTests {
    /// The output of `--help`, as people and man pages read it.
    @Suite struct HelpTests {
        /// Every leaf command with the words that call it.
        static let commands = leaves(Pulsecast.self, [])

        private static func leaves(
            _ type: any ParsableCommand.Type, _ path: [String]
        ) -> [[String]] {
            let below = type.configuration.subcommands
            guard !below.isEmpty else { return [path] }
            return below.flatMap { leaves($0, path + [$0.configuration.commandName ?? ""]) }
        }

        private static func help(_ path: [String]) -> String {
            var type: any ParsableCommand.Type = Pulsecast.self
            for word in path {
                let below = type.configuration.subcommands
                type = below.first { $0.configuration.commandName == word } ?? type
            }
            return Pulsecast.helpMessage(for: type, columns: 80)
        }

        @Test(arguments: commands)
        func `Every command has an example, and its examples are understood`(path: [String]) throws
        {
            let words = ["pulsecast"] + path
            let lines = Self.help(path).split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let examples = lines.filter {
                $0.hasPrefix("\(words.joined(separator: " ")) ")
                    || $0 == words.joined(separator: " ")
            }
            #expect(!examples.isEmpty)
            for example in examples {
                // A quoted value is one word.
                let arguments = example.split(separator: "\"", omittingEmptySubsequences: false)
                    .enumerated().flatMap { index, part in
                        index % 2 == 1
                            ? [String(part)] : part.split(separator: " ").map(String.init)
                    }
                _ = try Pulsecast.parseAsRoot(Array(arguments.dropFirst()))
            }
        }

        @Test(arguments: commands)
        func `A value is called by what it is, not by its option`(path: [String]) {
            let found = Self.help(path).matches(of: /--([a-z-]+) <([a-z-]+)>/)
                .filter { $0.1 == $0.2 }.map(\.0)
            #expect(found == [])
        }

        @Test(arguments: commands)
        func `Sentences fill their lines`(path: [String]) {
            let overview = Self.help(path).components(separatedBy: "USAGE:")[0]
            for paragraph in overview.components(separatedBy: "\n\n") {
                let lines = paragraph.split(separator: "\n").prefix { !$0.hasPrefix("  ") }
                for (line, next) in zip(lines, lines.dropFirst()) where !line.hasSuffix(":") {
                    let word = next.prefix { $0 != " " }
                    #expect(line.count + 1 + word.count > 76, "\(line)")
                }
            }
        }
    }
}
