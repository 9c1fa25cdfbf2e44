import Bytes

/// A password hash with everything needed to verify it, in the PHC string format:
/// `$argon2id$v=19$m=19456,t=2,p=1$SALT$TAG`.
package struct PasswordHash {
  /// The longest string that is read, in bytes.
  package static let textBytesMax = 256
  /// The cost of the hash.
  package let cost: PasswordHashCost
  /// The salt, 8 to 64 bytes.
  package let salt: [UInt8]
  /// The output of Argon2id, 16 to 64 bytes.
  package let tag: [UInt8]

  /// Creates a hash from its parts.
  package init(cost: PasswordHashCost, salt: [UInt8], tag: [UInt8]) {
    self.cost = cost
    self.salt = salt
    self.tag = tag
  }

  /// Parses the string; throws `passwordHashMalformed` for another algorithm or version, a cost
  /// over our limits, a salt outside 8 to 64 bytes or a tag outside 16 to 64.
  package init(_ text: String) throws(CryptographyError) {
    guard text.utf8.count <= Self.textBytesMax else { throw .passwordHashMalformed }
    let fields = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    guard fields.count == 6, fields[0].isEmpty, fields[1].elementsEqual("argon2id".utf8),
      fields[2].elementsEqual("v=19".utf8), let cost = Self.cost(fields[3]),
      let salt = Base64.standard.decode(Array(fields[4]).span), (8...64).contains(salt.count),
      let tag = Base64.standard.decode(Array(fields[5]).span), (16...64).contains(tag.count)
    else { throw .passwordHashMalformed }
    self.init(cost: cost, salt: salt, tag: tag)
  }

  /// The PHC string.
  package var text: String {
    let cost = "m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)"
    var text = Array("$argon2id$v=\(Argon2id.version)$\(cost)$".utf8)
    Base64.standard.append(salt.span, to: &text)
    text.append(UInt8(ascii: "$"))
    Base64.standard.append(tag.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func cost(_ field: Substring.UTF8View) -> PasswordHashCost? {
    let parts = field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count == 3, let memory = number(parts[0], "m"), let passes = number(parts[1], "t"),
      let lanes = number(parts[2], "p")
    else { return nil }
    return PasswordHashCost(memoryKiB: memory, passes: passes, lanes: lanes)
  }

  private static func number(_ part: Substring.UTF8View, _ name: String) -> UInt32? {
    let digits = part.dropFirst(2)
    guard part.starts(with: "\(name)=".utf8), (1...7).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return digits.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
  }
}
