/// One violation of a rule, with the correction.
struct Finding: Hashable, CustomStringConvertible {
  var path: String
  /// The line number, starting at 1; 0 for the file as a whole.
  var line: Int
  var message: String

  var description: String { "\(path):\(line): \(message)" }
}
