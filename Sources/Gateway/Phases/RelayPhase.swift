import HTTP
import Web

/// Builds the response for the client.
package enum RelayPhase {
  /// Properties of a response that the service does not set.
  package struct Nature {
    /// Whether it is sent over TLS, and browsers are required to use TLS for this host.
    package var isSecure: Bool
    /// Whether the request carried a token; such a response must not be stored by caches.
    package var isPersonal: Bool
    /// The request's number.
    package var requestID: [UInt8]

    /// The index of its security fields.
    var kind: Int { (isSecure ? 1 : 0) + (isPersonal ? 2 : 0) }

    /// Creates properties from their parts.
    package init(isSecure: Bool, isPersonal: Bool, requestID: [UInt8]) {
      self.isSecure = isSecure
      self.isPersonal = isPersonal
      self.requestID = requestID
    }
  }

  /// Removes hop-by-hop fields, internal fields and cookies (the gateway itself passes that of a
  /// login), and adds the security fields and the request's number.
  package static func rewrite(_ head: inout ResponseHead, _ nature: Nature) {
    clean(&head)
    if nature.isPersonal { head.fields.remove(.cacheControl) }
    finish(&head.fields, nature)
  }

  /// As `rewrite`, but without the request's number.
  static func rewriteUnnumbered(_ head: inout ResponseHead, _ nature: Nature) {
    clean(&head)
    if nature.isPersonal { head.fields.remove(.cacheControl) }
    head.fields.append(contentsOf: constants[nature.kind])
  }

  /// Removes hop-by-hop fields, internal fields, cookies, and the fields that the gateway sets.
  static func clean(_ head: inout ResponseHead) {
    head.fields.removeAll { known, name in
      known.map(isLeftOut) ?? InternalNames.isInternal(name)
    }
  }

  /// Adds the security fields and the request's number.
  static func finish(_ fields: inout HTTPFields, _ nature: Nature) {
    fields.append(.requestID, copying: nature.requestID.span)
    fields.append(contentsOf: constants[nature.kind])
  }

  /// The security fields, by whether the response is sent over TLS (1) and is personal (2).
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
