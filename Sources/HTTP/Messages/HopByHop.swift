extension HTTPFields {
  /// Removes hop-by-hop fields before a message is forwarded: those of RFC 9110, section 7.6.1, and
  /// those named by Connection. Content-Length stays, because it belongs to the message and engines
  /// write their own.
  package mutating func removeHopByHop() {
    var named: [[UInt8]] = []
    forEach(named: .connection) { value in
      let bytes = [UInt8](copying: value)
      for option in bytes.split(separator: 0x2C) {
        let name = option.span
        let trimmed = name.extracting(name.trimmedRange)
        named.append([UInt8](copying: trimmed).map(ASCII.lowercased))
      }
    }
    let text = bytes
    entries.removeAll { entry in
      if let known = entry.known {
        if known.isHopByHop { return true }
        return named.contains { $0.span.equals(known.text) }
      }
      let name = text.span.extracting(HTTPFields.nameRange(entry))
      return named.contains { $0.span.equals(name) }
    }
  }
}
