import EventLoop
import Foundation
import Operations

/// The folder of mails of an installation without a mail server.
struct DemoMail {
  let directory: String

  /// The token of the last activation mail to an address, or nil if none has arrived.
  func activationToken(for email: String) -> String? {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      return nil
    }
    // The names are identifiers that grow with time.
    for name in names.sorted().reversed() where name.hasSuffix(".eml") {
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
