/// Why the settings are invalid. Each description is one sentence for the operator and never
/// contains the value of a secret.
package enum SettingsError: Error, Equatable, CustomStringConvertible {
  /// A variable, or a name in the file, that matches no setting.
  case unknownName(String, origin: String, nearest: [String])
  /// A flag that matches no setting.
  case unknownFlag(String, nearest: [String])
  /// A flag without a value: the last argument, or followed by another flag.
  case flagWithoutValue(String)
  /// A setting given twice in the same source.
  case repeated(String, origin: String)
  /// An invalid value; `shown` is masked for secrets.
  case badValue(name: String, expectation: String, shown: String)
  /// A line of the settings file that is not `NAME=VALUE`.
  case badLine(path: String, line: Int)
  /// A required setting that is not configured.
  case missing(name: String, meaning: String)
  /// Both the variable and its `_FILE` variable are set.
  case valueAndFile(name: String)
  /// A password on the command line, where every user of the machine can read it.
  case secretInFlag(flag: String, name: String)
  /// A file that cannot be read.
  case unreadable(path: String, reason: String)
  /// A setting that only makes sense outside the settings file.
  case notInFile(name: String, path: String)

  /// Whether an argument is unknown, or has no value.
  var isOfArguments: Bool {
    switch self {
    case .unknownFlag, .flagWithoutValue: true
    case .unknownName, .repeated, .badValue, .badLine, .missing: false
    case .valueAndFile, .secretInFlag, .unreadable, .notInFile: false
    }
  }

  /// One sentence for the operator.
  package var description: String {
    switch self {
    case .unknownName(let name, let origin, let nearest):
      "\(name) (\(origin)) is not a setting of TrackMe\(Self.suggestion(nearest))"
    case .unknownFlag(let flag, let nearest):
      "\(flag) is not a flag of TrackMe\(Self.suggestion(nearest))"
    case .flagWithoutValue(let flag):
      "\(flag) needs a value."
    case .repeated(let name, let origin):
      "\(name) is given twice (\(origin))."
    case .badValue(let name, let expectation, let shown):
      "\(name) must be \(expectation), not \"\(shown)\"."
    case .badLine(let path, let line):
      "Line \(line) of \(path) is not NAME=VALUE."
    case .missing(let name, let meaning):
      "\(name) is required and has no default: \(meaning)."
    case .valueAndFile(let name):
      "\(name) and \(name)_FILE are both given: leave one out."
    case .secretInFlag(let flag, let name):
      "\(flag) would show a password to every user of this machine: use \(name)_FILE."
    case .unreadable(let path, let reason):
      "\(path) cannot be read (\(reason))."
    case .notInFile(let name, let path):
      "\(name) cannot be set in \(path), which it locates."
    }
  }

  private static func suggestion(_ nearest: [String]) -> String {
    nearest.isEmpty ? "." : "; did you mean \(nearest.joined(separator: " or "))?"
  }
}
