import EventLoop
import Operations

/// The login of a demo account. Loading demo data writes the file `demo-logins` into the state
/// directory, with kind, email and password in each line, separated by tabs. The logins open demo
/// accounts only and are printed at each start.
struct DemoLogin {
  let kind: String
  let email: String
  let password: String

  static let fileName = "demo-logins"

  /// The logins; empty if no demo data was loaded.
  static func read(_ state: StateDirectory) -> [DemoLogin] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read(state.file(fileName), bytesMax: 10_000)
    } catch {
      return []
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\t")
      guard words.count == 3 else { return nil }
      return DemoLogin(
        kind: String(words[0]), email: String(words[1]), password: String(words[2]))
    }
  }
}
