import EventLoop
import Operations

/// A text of a legal document (ACC-2); its first line is its title.
struct LegalText: Hashable, Sendable {
  /// The maximum size of a file in bytes.
  static let bytesMax = 1 << 18

  let title: String
  let body: String

  /// A text that begins with its title; nil without one.
  init?(_ text: String) {
    let title = text.prefix { !$0.isNewline }.drop { $0 == "#" || $0 == " " }
    guard !title.isEmpty else { return nil }
    self.title = String(title)
    body = text
  }

  /// Reads a file.
  ///
  /// - Throws: `StartError` for a file that is unreadable, too large, not UTF-8 or without a title.
  static func read(_ file: String) throws(StartError) -> LegalText {
    guard let text = LegalText(try content(of: file)) else {
      throw StartError("The first line of \(file) has to be the title.")
    }
    return text
  }

  /// The text of a file.
  static func content(of file: String) throws(StartError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileSystem.read(file, bytesMax: bytesMax) } catch {
      throw StartError("\(file) can't be read", error)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StartError("\(file) is not UTF-8.")
    }
    return text
  }
}
