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

  private static let noSniff = Array("nosniff".utf8)
  private static let noStore = Array("no-store".utf8)
  private static let secureOnly = Array("max-age=31536000".utf8)

  /// The service's head without what concerns one connection or is ours alone, without cookies
  /// (only tokens say who calls), with the fields of security and the request's number.
  package static func head(_ original: ResponseHead, _ nature: Nature) -> ResponseHead {
    var fields = HTTPFields(reservingBytes: 384, fields: 12)
    original.fields.forEach { known, name, value in
      if let known {
        if !isLeftOut(known, nature) { fields.append(known, copying: value) }
      } else if !InternalNames.isInternal(name) {
        fields.append(name: name, value: value)
      }
    }
    finish(&fields, nature)
    return ResponseHead(
      original.status, fields: fields, contentLength: original.contentLength)
  }

  /// Adds the fields of security and the request's number.
  static func finish(_ fields: inout HTTPFields, _ nature: Nature) {
    fields.append(.requestID, copying: nature.requestID.span)
    fields.append(.xContentTypeOptions, copying: noSniff.span)
    if nature.isSecure { fields.append(.strictTransportSecurity, copying: secureOnly.span) }
    if nature.isPersonal { fields.append(.cacheControl, copying: noStore.span) }
  }

  private static func isLeftOut(_ name: FieldName, _ nature: Nature) -> Bool {
    switch name {
    case .requestID, .server, .strictTransportSecurity, .xContentTypeOptions, .contentLength,
      .setCookie:
      true
    case .cacheControl: nature.isPersonal
    default: name.isHopByHop
    }
  }
}
