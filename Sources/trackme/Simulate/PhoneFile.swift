import EventLoop
import Foundation
import Operations

/// Where a simulated phone keeps its token, in the first line, and behind it what it has not sent:
/// a restart loses none of it.
struct PhoneFile: Sendable {
  let path: String

  /// The token and the samples; an empty token before the first pairing.
  ///
  /// - Throws: where it is there and can't be read.
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

  /// Puts a file with these in its place.
  ///
  /// - Throws: where it can't be written.
  func write(_ token: String, _ unsent: UnsentSamples) throws(StartError) {
    do throws(SystemError) {
      try FileSystem.writeAtomically(path, Array("\(token)\n\(unsent.text)".utf8))
    } catch {
      throw StartError("\(path) can't be written", error)
    }
  }

  /// Adds samples to the file that is there.
  ///
  /// - Throws: where it can't be written.
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
