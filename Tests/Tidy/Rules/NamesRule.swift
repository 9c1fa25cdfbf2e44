/// A module with a meaningless name collects unrelated code.
enum NamesRule {
  static let banned: Set = [
    "common", "core", "utils", "util", "shared", "helpers", "helper", "misc",
  ]

  static func findings(modules: [String]) -> [Finding] {
    modules.filter { banned.contains($0.lowercased()) }.map {
      Finding(path: "Package.swift", line: 0, message: "\($0) is not a name for a module")
    }
  }

  static func findings(in file: SourceFile) -> [Finding] {
    guard file.isProduct || file.isTest else { return [] }
    let parts = file.path.split(separator: "/").map {
      $0.lowercased().replacing(".swift", with: "")
    }
    guard let name = parts.first(where: banned.contains) else { return [] }
    return [file.finding(-1, "'\(name)' says nothing: name it for what it holds")]
  }
}
