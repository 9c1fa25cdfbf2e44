/// Limits on lines, functions and files, because code that fits on a screen is easier to
/// understand.
enum SizeRule {
  static let columnsMax = 100
  static let functionLinesMax = 70
  static let fileLinesMax = 400

  static func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift || file.isScript || isStatement(file) || isPage(file) else { return [] }
    return longLines(file) + longFunctions(file) + longFile(file)
  }

  /// Reference data is loaded by SQL and not meant to be read line by line.
  private static func isStatement(_ file: SourceFile) -> Bool {
    file.path.hasSuffix(".sql") && !file.path.hasPrefix("sql/reference/")
  }

  /// The code and style of the web pages and its tests, without generated declarations and texts.
  private static func isPage(_ file: SourceFile) -> Bool {
    let folders = ["Sources/WebApp/", "Tests/Web/"]
    guard folders.contains(where: file.path.hasPrefix) else { return false }
    return [".js", ".mjs", ".css", ".html"].contains(where: file.path.hasSuffix)
  }

  private static func longLines(_ file: SourceFile) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      guard line.count > columnsMax else { return nil }
      return file.finding(index, "\(line.count) columns, at most \(columnsMax)")
    }
  }

  private static func longFunctions(_ file: SourceFile) -> [Finding] {
    FunctionBodies.bodies(in: file.code).compactMap { body in
      guard body.lineCount > functionLinesMax else { return nil }
      return file.finding(
        body.declaration,
        "\(body.name) has \(body.lineCount) lines, at most \(functionLinesMax): name its parts")
    }
  }

  private static func longFile(_ file: SourceFile) -> [Finding] {
    guard file.isSwift, file.lines.count > fileLinesMax else { return [] }
    return [file.finding(-1, "\(file.lines.count) lines, at most \(fileLinesMax): split it")]
  }
}
