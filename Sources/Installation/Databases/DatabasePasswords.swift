import EventLoop
import Operations

/// The generated passwords of the database roles: one file each, readable by its owner only.
package struct DatabasePasswords: Sendable {
  /// The directory of their files.
  package let directory: String

  /// A password of a role.
  package struct Password: Sendable {
    /// 48 hexadecimal digits, so that neither SQL nor a URL needs to escape them.
    package let text: String
  }

  /// The passwords of an installation.
  package init(_ installation: Installation) {
    directory = installation.state.file("keys/database")
  }

  /// Creates the missing passwords.
  ///
  /// - Returns: whether all of them existed.
  /// - Throws: `StartError` if a file can neither be read nor created.
  package func prepare() throws(StartError) -> Bool {
    let hadAll = DatabaseRole.allCases.allSatisfy { FileSystem.exists(file(of: $0).path) }
    for role in DatabaseRole.allCases {
      try reading { () throws(SystemError) in _ = try file(of: role).readOrMake(Self.fresh) }
    }
    return hadAll
  }

  /// The password of a role.
  ///
  /// - Throws: `StartError` that names the file if it is missing or damaged.
  package func password(of role: DatabaseRole) throws(StartError) -> Password {
    let bytes = try reading { () throws(SystemError) in try file(of: role).read() }
    let isIntact =
      bytes.count == 48
      && bytes.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
      }
    guard isIntact else {
      throw StartError("\(file(of: role).path) is damaged: remove it, and a new one is created.")
    }
    return Password(text: String(decoding: bytes, as: UTF8.self))
  }

  private func file(of role: DatabaseRole) -> SecretFile {
    SecretFile(path: "\(directory)/\(role.rawValue).password")
  }

  private func reading<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(StartError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw StartError("The database's passwords in \(directory) cannot be read", error)
    }
  }

  private static func fresh() -> [UInt8] {
    Environment.system.randomBytes(24).flatMap { byte in
      let digits = String(byte, radix: 16)
      return Array((digits.count == 1 ? "0" + digits : digits).utf8)
    }
  }
}
