/// An HTTP answer is not an error of the application, and a status is not a cause of a failure.
///
/// `Problem` occurs in the modules of HTTP, in routes, and where an `ApplicationError` becomes one;
/// stores and workers throw `ApplicationError`. A log line of theirs has the cause (`Log.failure`),
/// never a status.
enum ErrorsRule {
  private static let webModules: Set<String> = ["HTTP", "Web", "Gateway", "PublicAPI"]
  private static let conversions: Set<String> = [
    "Sources/ServiceKit/Problem+ApplicationError.swift", "Sources/ServiceKit/ServiceListener.swift",
    "Sources/trackme-lab/Broker/LocalOrder.swift",
  ]

  static func findings(in file: SourceFile) -> [Finding] {
    guard file.isProduct, let module = file.module, !webModules.contains(module),
      !conversions.contains(file.path), !file.path.hasSuffix("Routes.swift")
    else { return [] }
    return file.code.enumerated().compactMap { index, line in
      if line.has("Problem"), line.contains(/\bProblem\b/) {
        return file.finding(index, "Problem below the routes: throw an ApplicationError")
      }
      if file.lines[index].has(#".number("status""#) {
        return file.finding(index, "a status in a log line: log the error with Log.failure")
      }
      return nil
    }
  }
}
