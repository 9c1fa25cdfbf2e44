import EventLoop
import Operations

/// The login of a demo account. Loading demo data writes the file `demo-logins` into the state
/// directory, with kind, email and password in each line, separated by tabs. The logins open demo
/// accounts only and are printed at each start.
package struct DemoLogin: Sendable {
  /// The kinds of account.
  package static let singleUser = "single user"
  package static let thirdParty = "third party"

  /// The kind of account, for the operator.
  package let kind: String
  /// The email and the public password of the login.
  package let email: String
  package let password: String

  /// The name of the file in the state directory, which exists once all demo data is loaded.
  package static let fileName = "demo-logins"

  /// The login of an account of this kind.
  package init(kind: String, email: String, password: String) {
    self.kind = kind
    self.email = email
    self.password = password
  }

  /// The logins; empty if no demo data was loaded.
  package static func read(_ state: StateDirectory) -> [DemoLogin] {
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
