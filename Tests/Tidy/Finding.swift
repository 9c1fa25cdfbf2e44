/// One place in the tree that breaks a rule, and what to do instead.
struct Finding: Hashable, CustomStringConvertible {
  var path: String
  /// Counted from 1; 0 stands for the file as a whole.
  var line: Int
  var message: String

  var description: String { "\(path):\(line): \(message)" }
}
