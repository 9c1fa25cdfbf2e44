/// The repository works in any clone: it contains no paths of one machine and no stray mode bits.
enum PathsRule {
  /// Spelled in two parts, so that this file obeys its own rule.
  static let machinePaths = ["/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/", "/fa" + "rm"]

  static func findings(in file: SourceFile) -> [Finding] {
    machinePaths(in: file) + mode(of: file)
  }

  private static func machinePaths(in file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard let path = machinePaths.first(where: { isAbsolute($0, in: line) }) else { return nil }
      return file.finding(index, "\(path) is a path of one machine")
    }
  }

  /// `docs/home/` is not a machine path: no name may precede the slash.
  private static func isAbsolute(_ path: String, in line: String) -> Bool {
    line.has(path)
      && line.ranges(of: path).contains { range in
        guard range.lowerBound > line.startIndex else { return true }
        let before = line[line.index(before: range.lowerBound)]
        return !(before.isLetter || before.isNumber || "._-}/*)".contains(before))
      }
  }

  private static func mode(of file: SourceFile) -> [Finding] {
    let isScript = file.text.hasPrefix("#!")
    if file.isExecutable, !isScript {
      return [file.finding(-1, "executable, but its first line names no interpreter")]
    }
    if isScript, !file.isExecutable {
      return [file.finding(-1, "names an interpreter, but is not executable")]
    }
    return []
  }
}
