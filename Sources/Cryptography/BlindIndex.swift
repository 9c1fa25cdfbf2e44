/// Looks up a row by an identifier that the database never sees: HMAC-SHA256 under a key for the
/// identifier's kind, in full length so that collisions are infeasible.
///
/// The caller normalises (an email in lower case, a fiscal code in upper case) through its parsed
/// types; differently normalised identifiers do not match. May be shared between threads.
package struct BlindIndex: Sendable {
  /// The kind of identifier. Each kind has its own key, so that equal texts have different values.
  package enum Kind: Sendable {
    case email, fiscalCode, vatNumber, companyName, diseaseCode, positionCell, pairingCode
    case invitedAddress, emergencyContact, companyNamePrefix, fullName, pushEndpoint

    var purpose: KeyPurpose {
      switch self {
      case .email: .emailIndex
      case .fiscalCode: .fiscalCodeIndex
      case .vatNumber: .vatNumberIndex
      case .companyName: .companyNameIndex
      case .diseaseCode: .diseaseCode
      case .positionCell: .positionCell
      case .pairingCode: .pairingCode
      case .invitedAddress: .invitedAddress
      case .emergencyContact: .emergencyContact
      case .companyNamePrefix: .companyNamePrefix
      case .fullName: .fullName
      case .pushEndpoint: .pushEndpoint
      }
    }
  }

  private let key: HMACKey

  /// Derives the key of the kind, which no rotation changes.
  package init(_ kind: Kind, root: RootSecret) { key = HMACKey(root.lastingKey(for: kind.purpose)) }

  /// The value for a normalised identifier.
  package func value(of normalised: Span<UInt8>) -> BlindValue {
    BlindValue(digest: key.code(of: normalised))
  }

  /// The value for a normalised identifier.
  package func value(of normalised: String) -> BlindValue { value(of: normalised.utf8.span) }
}

/// The stored value that replaces an identifier.
package struct BlindValue: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}
