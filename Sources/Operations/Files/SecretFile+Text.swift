import EventLoop

extension SecretFile {
  /// The secret as text, up to the first white space; made from `fresh` where there is no file and
  /// something is given.
  ///
  /// - Throws: `StartError` with `owner`, as a setting's name, when it can't be read or is empty:
  ///   nobody is known by an empty key.
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
