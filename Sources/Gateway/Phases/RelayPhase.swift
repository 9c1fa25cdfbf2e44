import HTTP

/// The answer as the client gets it.
package enum RelayPhase {
  /// What an answer is, beside what the service says.
  package struct Nature {
    /// Over TLS.
    package var isSecure: Bool
    /// It was given to somebody who showed a token: nobody may keep it.
    package var isPersonal: Bool
    /// The request's number.
    package var requestID: [UInt8]

    /// A nature of these parts.
    package init(isSecure: Bool, isPersonal: Bool, requestID: [UInt8]) {
      self.isSecure = isSecure
      self.isPersonal = isPersonal
      self.requestID = requestID
    }
  }

  /// The service's head without what concerns one connection or is ours alone, without cookies
  /// (only tokens say who calls), with the fields of security and the request's number.
  package static func rewrite(_ head: inout ResponseHead, _ nature: Nature) {
    clean(&head)
    if nature.isPersonal { head.fields.remove(.cacheControl) }
    finish(&head.fields, nature)
  }

  /// Removes what concerns one connection or is ours alone.
  static func clean(_ head: inout ResponseHead) {
    head.fields.removeAll { known, name in
      known.map(isLeftOut) ?? InternalNames.isInternal(name)
    }
  }

  /// Adds the fields of security and the request's number.
  static func finish(_ fields: inout HTTPFields, _ nature: Nature) {
    fields.append(.requestID, copying: nature.requestID.span)
    let kind = (nature.isSecure ? 1 : 0) + (nature.isPersonal ? 2 : 0)
    fields.append(contentsOf: constants[kind])
  }

  /// The fields of security by whether they go over TLS (1) and are personal (2).
  private static let constants: [HTTPFields] = (0..<4).map { kind in
    var fields = HTTPFields()
    fields.append(.xContentTypeOptions, "nosniff")
    if kind & 1 != 0 { fields.append(.strictTransportSecurity, "max-age=31536000") }
    if kind & 2 != 0 { fields.append(.cacheControl, "no-store") }
    return fields
  }

  private static func isLeftOut(_ name: FieldName) -> Bool {
    switch name {
    case .requestID, .server, .strictTransportSecurity, .xContentTypeOptions, .contentLength,
      .setCookie:
      true
    default: name.isHopByHop || name.isInternal
    }
  }
}
