import Foundation
import Support
import Testing

/// The files of this repository: those tracked by git and those that git would add.
enum Tree {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Read once, because all rules use the same tree.
  static let files: [SourceFile] = paths().compactMap(read)

  static var swift: [SourceFile] { files.filter(\.isSwift) }

  static func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

  private static func read(_ path: String) -> SourceFile? {
    let url = root.appending(path: path)
    guard let data = try? Data(contentsOf: url), !data.prefix(4096).contains(0),
      let text = String(data: data, encoding: .utf8)
    else { return nil }
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    // A link refers to another file of the tree.
    if attributes?[.type] as? FileAttributeType == .typeSymbolicLink { return nil }
    let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    return SourceFile(path: path, text: text, isExecutable: mode & 0o111 != 0)
  }

  /// An unpacked archive has no git metadata: then every file counts except those in hidden
  /// directories, which builds and runs create.
  private static func paths() -> [String] { (listedByGit() ?? walked()).sorted() }

  private static func listedByGit() -> [String]? {
    guard FileManager.default.fileExists(atPath: root.path + "/.git") else { return nil }
    let git = Program(command: [
      "git", "-C", root.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
    ])
    do {
      let listed = try git.runAndBlock()
      if !listed.isSuccess { Issue.record("git ls-files: \(listed.output)") }
      return listed.output.split(separator: "\0").map(String.init)
    } catch {
      Issue.record(error, "git can't list the files of the tree")
      return nil
    }
  }

  private static func walked() -> [String] {
    guard let names = FileManager.default.enumerator(atPath: root.path) else { return [] }
    let all = names.compactMap { $0 as? String }
    return all.filter { path in
      let first = path.split(separator: "/")[0]
      return !(first == ".build" || first == ".git" || first.hasPrefix(".trackme"))
    }
  }
}
