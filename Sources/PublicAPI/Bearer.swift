import Domain

/// The kind of token holder, which limits the permitted endpoints.
package enum Bearer: Sendable, Hashable {
  /// A logged-in user: permitted on every endpoint of the account.
  case login
  /// A third party's program with an API key: permitted on everything except account management.
  case program
  /// A single user's device, by its number within the account: permitted on endpoints marked for
  /// devices.
  case device(Int32)
}

extension Bearer {
  private static let programText = "program"

  /// The value of the internal field for services; nil for a logged-in user.
  package var fieldValue: String? {
    switch self {
    case .login: nil
    case .program: Self.programText
    case .device(let number): String(number)
    }
  }

  /// Parses the value of the internal field; nil for an invalid value.
  package init?(fieldValue: String?) {
    switch fieldValue {
    case nil: self = .login
    case Self.programText: self = .program
    case let text?:
      guard let number = Int32(text), number > 0 else { return nil }
      self = .device(number)
    }
  }
}

extension Endpoint {
  /// Whether a third party's API key is accepted.
  package var takesPrograms: Bool {
    switch caller {
    case .anyone, .singleUser: false
    case .account, .thirdParty: !isForPeopleOnly
    }
  }

  /// Whether this bearer, of an account of this kind, may call the endpoint.
  package func admits(_ kind: AccountKind, _ bearer: Bearer) -> Bool {
    let isRightKind =
      switch caller {
      case .anyone, .account: true
      case .singleUser: kind == .singleUser
      case .thirdParty: kind == .thirdParty
      }
    return switch bearer {
    case .login: isRightKind
    case .program: isRightKind && takesPrograms
    case .device: isRightKind && takesDevices
    }
  }
}
