import EventLoop
import Foundation
import Operations

/// The folder of mails of an installation without a mail server.
struct DemoMail {
  let directory: String

  /// The names of all mails.
  var names: Set<String> {
    do {
      return Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    } catch {
      return []
    }
  }

  /// The token of the last activation mail to an address that is not among the `former` mails, or
  /// nil if none has arrived.
  func activationToken(for email: String, after former: Set<String>) -> String? {
    // The names are identifiers that grow with time.
    for name in names.subtracting(former).sorted().reversed() where name.hasSuffix(".eml") {
      guard let mail = text(of: name), mail.contains(email) else { continue }
      if let link = mail.firstRange(of: "activToken=") {
        return String(mail[link.upperBound...].prefix { !$0.isWhitespace })
      }
    }
    return nil
  }

  private func text(of name: String) -> String? {
    do throws(SystemError) {
      let bytes = try FileSystem.read("\(directory)/\(name)", bytesMax: 1 << 20)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      return nil
    }
  }
}
