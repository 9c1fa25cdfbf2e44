import EventLoop
import Foundation
import Operations

/// The file of a simulated phone: its token in the first line, then its unsent samples, so that a
/// restart loses none.
struct PhoneFile: Sendable {
  let path: String

  /// The token and the samples; the token is empty before the first pairing.
  ///
  /// - Throws: `StartError` if the file exists and is unreadable.
  func read() throws(StartError) -> (token: String, unsent: UnsentSamples) {
    guard FileSystem.exists(path) else { return ("", UnsentSamples()) }
    do throws(SystemError) {
      let bytes = try FileSystem.read(path, bytesMax: UnsentSamples.bytesMax)
      let text = String(decoding: bytes, as: UTF8.self)
      let token = text.split(separator: "\n").first.map(String.init) ?? ""
      return (token, UnsentSamples(text: text.dropFirst(token.count)))
    } catch {
      throw StartError("\(path) can't be read", error)
    }
  }

  /// Replaces the file.
  ///
  /// - Throws: `StartError` if it can't be written.
  func write(_ token: String, _ unsent: UnsentSamples) throws(StartError) {
    do throws(SystemError) {
      try FileSystem.writeAtomically(path, Array("\(token)\n\(unsent.text)".utf8))
    } catch {
      throw StartError("\(path) can't be written", error)
    }
  }

  /// Appends samples to the existing file.
  ///
  /// - Throws: `StartError` if it can't be written.
  func append(_ signs: [VitalSign]) throws(StartError) {
    do {
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      defer { try? handle.close() }
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(UnsentSamples.text(of: signs).utf8))
    } catch {
      throw StartError("\(path) can't be written: \(error.localizedDescription)")
    }
  }
}
