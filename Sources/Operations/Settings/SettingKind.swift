/// Parses the text of a setting, and describes valid texts for error messages.
package struct SettingKind<Value: Sendable>: Sendable {
  /// Describes valid texts; completes the sentence "TRACKME_X must be …".
  package let expectation: String
  let parse: @Sendable (String) -> Value?

  /// A kind whose `parse` returns `nil` for texts that do not match `expectation`.
  package init(expectation: String, parse: @escaping @Sendable (String) -> Value?) {
    self.expectation = expectation
    self.parse = parse
  }
}

extension SettingKind where Value == UInt16 {
  /// A TCP port; 0 is not allowed.
  package static var port: Self {
    Self(expectation: "a port from 1 to 65535") { text in
      wholeNumber(text, in: 1...65535).map(UInt16.init)
    }
  }
}

extension SettingKind where Value == Int {
  /// A whole number in decimal digits.
  package static func count(_ range: ClosedRange<Int>) -> Self {
    Self(expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      wholeNumber(text, in: range)
    }
  }
}

extension SettingKind where Value == Duration {
  /// Whole seconds.
  package static func seconds(_ range: ClosedRange<Int>) -> Self {
    Self(expectation: "whole seconds from \(range.lowerBound) to \(range.upperBound)") { text in
      wholeNumber(text, in: range).map { .seconds($0) }
    }
  }

  /// Whole days of 24 hours.
  package static func days(_ range: ClosedRange<Int>) -> Self {
    Self(expectation: "whole days from \(range.lowerBound) to \(range.upperBound)") { text in
      wholeNumber(text, in: range).map { .seconds(86_400 * $0) }
    }
  }
}

extension SettingKind where Value == Bool {
  /// `1`, `on`, `true` or `0`, `off`, `false`.
  package static var onOff: Self {
    Self(expectation: "on or off (or 1 or 0)") { text in
      switch text.lowercased() {
      case "1", "on", "true": true
      case "0", "off", "false": false
      default: nil
      }
    }
  }
}

extension SettingKind where Value == String {
  /// This kind, or one additional word.
  package func or(_ word: String) -> Self {
    let parse = parse
    return Self(expectation: "\(expectation), or the word \(word)") { text in
      text == word ? text : parse(text)
    }
  }

  /// One of the given words.
  package static func choice(_ words: String...) -> Self {
    Self(expectation: "one of " + words.joined(separator: ", ")) { text in
      words.contains(text) ? text : nil
    }
  }

  /// A name of letters, digits, `-`, `_`, `.`; at most 64 of them.
  package static var name: Self {
    Self(expectation: "a name of at most 64 letters, digits, '-', '_' or '.'") { text in
      (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte) ? text : nil
    }
  }

  /// A path of the file system without NUL and control characters.
  package static var path: Self {
    Self(expectation: "a path of at most 4000 bytes") { text in
      (1...4000).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 } ? text : nil
    }
  }

  /// A line of text without control characters.
  package static func line(bytesMax: Int) -> Self {
    Self(expectation: "a line of at most \(bytesMax) bytes") { text in
      (1...bytesMax).contains(text.utf8.count)
        && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        ? text : nil
    }
  }

  /// A mail address in visible ASCII characters.
  package static var mailAddress: Self {
    Self(expectation: "a mail address, such as help@trackme.example") { text in
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      let isAddress =
        text.utf8.count <= 254 && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      return isAddress ? text : nil
    }
  }

  /// An IPv4 or IPv6 address in its usual notation.
  package static var internetAddress: Self {
    Self(expectation: "an IPv4 or IPv6 address") { text in
      InternetAddressKind(text) == nil ? nil : text
    }
  }

  /// A name of the time zone database, such as `Europe/Rome`.
  package static var timeZone: Self {
    Self(expectation: "the name of a time zone, such as Europe/Rome") { text in
      let isName =
        (1...64).contains(text.utf8.count)
        && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
          !part.isEmpty && part.utf8.allSatisfy { isNameByte($0) || $0 == 0x2B }
            && part.first != "."
        }
      return isName ? text : nil
    }
  }

  /// An absolute URL with one of the schemes, a host, and no password.
  package static func url(_ schemes: String...) -> Self {
    Self(expectation: "a URL that begins with " + schemeList(schemes)) { text in
      isURL(text, schemes: schemes) && maskingURLPasswords(text) == text ? text : nil
    }
  }
}

extension SettingKind where Value == Secret {
  /// An absolute URL with one of the schemes that may hold a password.
  package static func secretURL(_ schemes: String...) -> Self {
    Self(expectation: "a URL that begins with " + schemeList(schemes)) { text in
      isURL(text, schemes: schemes) ? Secret(text) : nil
    }
  }
}

extension SettingKind where Value == ServiceAddress {
  /// `unix:/path` or `host:port`.
  package static var serviceAddress: Self {
    Self(expectation: "an address such as unix:/path or 127.0.0.1:9000") { ServiceAddress($0) }
  }
}

extension SettingKind where Value == [ServiceAddress] {
  /// Comma-separated addresses.
  package static var serviceAddresses: Self {
    Self(expectation: "comma-separated addresses such as unix:/path or 127.0.0.1:9000") { text in
      commaSeparated(text) { ServiceAddress($0) }
    }
  }
}

extension SettingKind where Value == [String] {
  /// Comma-separated ranges of internet addresses (`10.0.0.0/8`).
  package static var addressRanges: Self {
    Self(expectation: "comma-separated address ranges such as 10.0.0.0/8") { text in
      commaSeparated(text) { range in
        let parts = range.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = InternetAddressKind(String(parts[0])) else { return nil }
        return wholeNumber(String(parts[1]), in: 0...kind.bits) == nil ? nil : range
      }
    }
  }
}

// MARK: - Parsing

private func wholeNumber(_ text: String, in range: ClosedRange<Int>) -> Int? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
    let number = Int(text), range.contains(number)
  else { return nil }
  return number
}

private func isNameByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
  default: false
  }
}

private func schemeList(_ schemes: [String]) -> String {
  schemes.map { "\($0)://" }.joined(separator: " or ")
}

private func isURL(_ text: String, schemes: [String]) -> Bool {
  guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
    return false
  }
  return schemes.contains { text.hasPrefix("\($0)://") && text.utf8.count > $0.utf8.count + 3 }
}

private func commaSeparated<Element>(
  _ text: String, _ parse: (String) -> Element?
) -> [Element]? {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false)
  let elements = parts.compactMap { parse(String($0)) }
  return elements.count == parts.count ? elements : nil
}
