import EventLoop

extension SecretFile {
  /// The secret as text, up to the first white space. If the file does not exist and `fresh` is
  /// set, creates it with the result of `fresh`.
  ///
  /// - Throws: `StartError` that names `owner`, the setting, when the file can't be read or is
  ///   empty; an empty key would identify no one.
  package func text(
    of owner: String, orMake fresh: (() -> [UInt8])? = nil
  ) throws(StartError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = if let fresh { try readOrMake(fresh) } else { try read() }
    } catch {
      throw StartError("The file \(path) of \(owner) can't be read", error)
    }
    let text = String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace }
    guard !text.isEmpty else { throw StartError("The file \(path) of \(owner) holds no secret.") }
    return String(text)
  }
}
