/// The folders of a module form layers, and stay small.
///
/// A folder refers to another one if its code names a top-level type that only the other one
/// declares. Such references form no cycle, so that a folder can be understood, tested and moved
/// with the folders below it. A file outside all folders counts as a folder of its own, and nested
/// folders as a part of the outermost one.
enum FolderCyclesRule {
  /// The modules whose folders are compared.
  static let modules = [
    "Accounts", "HealthRecords", "Sharing", "GroupStatistics", "Emergencies", "Data4Help",
    "Data4HelpSync", "Runs", "LiveRuns", "Track4Run",
  ]
  /// The largest number of files directly in a folder.
  static let filesMax = 40

  static func findings(in files: [SourceFile], modules: [String] = modules) -> [Finding] {
    modules.flatMap { name in
      let own = files.filter { $0.isProduct && $0.module == name }
      guard !own.isEmpty else {
        return [Finding(path: "Sources/\(name)", line: 0, message: "the module has no files")]
      }
      return largeFolders(own) + cyclicReferences(own)
    }
  }

  private static func largeFolders(_ files: [SourceFile]) -> [Finding] {
    let folders = Dictionary(grouping: files) { file in
      file.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    return folders.filter { $0.value.count > filesMax }.sorted { $0.key < $1.key }.map {
      Finding(
        path: $0.key, line: 0, message: "\($0.value.count) files, at most \(filesMax): split it")
    }
  }

  // MARK: References

  /// A mention of a type of another folder.
  private struct Reference {
    let from: String
    let to: String
    let finding: Finding
  }

  /// The first reference of each folder to each other one, where a chain of references leads back.
  private static func cyclicReferences(_ files: [SourceFile]) -> [Finding] {
    let references = references(among: files)
    let next = Dictionary(grouping: references, by: \.from).mapValues { Set($0.map(\.to)) }
    return references.filter { reachable(from: $0.to, next).contains($0.from) }.map(\.finding)
  }

  private static func reachable(from folder: String, _ next: [String: Set<String>]) -> Set<String> {
    var found: Set<String> = [folder]
    var waiting = [folder]
    while let folder = waiting.popLast() {
      waiting += (next[folder] ?? []).filter { found.insert($0).inserted }
    }
    return found
  }

  private static func references(among files: [SourceFile]) -> [Reference] {
    var folders: [Substring: Set<String>] = [:]
    for file in files {
      for name in declaredTypes(file) { folders[name, default: []].insert(folder(of: file)) }
    }
    var known: Set<[String]> = []
    var references: [Reference] = []
    for file in files.sorted(by: { $0.path < $1.path }) {
      let from = folder(of: file)
      for (index, line) in file.code.enumerated() {
        for match in line.matches(of: /\b[A-Z]\w*/) {
          guard let declared = folders[match.output], declared.count == 1,
            let to = declared.first, to != from, known.insert([from, to]).inserted
          else { continue }
          let message = "\(from) uses \(match.output) of \(to), and \(to) leads back to \(from)"
          references.append(
            Reference(from: from, to: to, finding: file.finding(index, message)))
        }
      }
    }
    return references
  }

  private static let kinds: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  private static let modifiers: Set = ["package", "public", "internal", "final", "indirect"]

  /// The types that begin in the first column and are visible in other files.
  private static func declaredTypes(_ file: SourceFile) -> [Substring] {
    file.code.compactMap { line in
      guard let first = line.first, first != " ", first != "}" else { return nil }
      let words = line.split(separator: " ").drop { word in
        word.hasPrefix("@") || modifiers.contains(String(word))
      }
      guard let kind = words.first, kinds.contains(String(kind)), words.count > 1 else {
        return nil
      }
      return words.dropFirst().first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    }
  }

  /// `Runs/Results` for `Sources/Runs/Results/RunFile.swift`.
  private static func folder(of file: SourceFile) -> String {
    file.path.split(separator: "/").dropFirst().prefix(2).joined(separator: "/")
  }
}
