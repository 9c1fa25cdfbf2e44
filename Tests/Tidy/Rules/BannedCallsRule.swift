/// Calls with a preferred replacement, and the replacement.
enum BannedCallsRule {
  struct Ban {
    var name: String
    /// A part of every match, searched first because most lines don't contain it.
    var hint: String
    var pattern: Regex<Substring>
    var instead: String
    /// The modules that may use the call.
    var except: Set<String> = []
    var inSources = true
    var inTests = false
  }

  /// Created on each call, because a `Regex` can't be shared between parallel tests.
  static var bans: [Ban] { forSources + forEverything + forTests }

  private static var forSources: [Ban] {
    [
      Ban(
        name: "print", hint: "rint(",
        pattern: /^(?!.*func print\().*?(?:^|[^\w.])(?:p|debugP)rint\(/,
        instead: "the logger, or the terminal of a command"),
      Ban(
        name: "Date()", hint: "Date", pattern: /\bDate(?:\(\)|\.now)/,
        instead: "the time of an Environment"),
      Ban(name: "try!", hint: "try!", pattern: /\btry!/, instead: "a typed throw"),
      Ban(name: "as!", hint: "as!", pattern: /\bas!/, instead: "a type that needs no cast"),
      Ban(
        name: "Task", hint: "Task", pattern: /\bTask(?:\s*[{(]|\.detached)/,
        instead: "structured concurrency", except: ["EventLoop", "Web"]),
      Ban(
        name: "fatalError", hint: "fatalError(", pattern: /\bfatalError\(/,
        instead: "an error, or a type without the impossible state"),
      Ban(
        name: "force unwrap", hint: "!", pattern: /(?:\b(?!(?:try|as)!)\w+|[)\]"?])!(?!=)/,
        instead: "guard let, or a type that can't be nil"),
      Ban(
        name: "random", hint: "andom", pattern: /\.random\(in:|\bSystemRandomNumberGenerator\b/,
        instead: "the random bytes of an Environment", except: ["EventLoop", "Operations"]),
    ]
  }

  private static var forEverything: [Ban] {
    [
      Ban(
        name: "sleep", hint: "sleep(", pattern: /(?:^|\W)(?:u|nano)?sleep\(/,
        instead: "a timer of the loop, or waiting for the fact", inTests: true),
      Ban(
        name: "@testable", hint: "@testable", pattern: /@testable\b/,
        instead: "package access, which the release configuration tests too", inTests: true),
    ]
  }

  private static var forTests: [Ban] {
    [
      Ban(
        name: "Task.yield", hint: "Task.yield", pattern: /\bTask\.yield\(/,
        instead: "eventually, which has a limit", inSources: false, inTests: true)
    ]
  }

  static func findings(in file: SourceFile) -> [Finding] {
    guard file.isProduct || file.isTest else { return [] }
    let bans = bans.filter { ban in
      (file.isProduct ? ban.inSources : ban.inTests) && !ban.except.contains(file.module ?? "")
    }
    return file.code.enumerated().flatMap { index, line in
      bans.compactMap { ban in
        guard line.has(ban.hint), line.firstMatch(of: ban.pattern) != nil else { return nil }
        return file.finding(index, "\(ban.name) is not used here: use \(ban.instead)")
      }
    }
  }
}
