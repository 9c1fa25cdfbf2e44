import Domain

/// What shows a token, and with it what the token is good for.
package enum Bearer: Sendable, Hashable {
  /// A person who logged in: good for everything of the account.
  case login
  /// A third party's program, by its key: good for everything but the account itself.
  case program
  /// A single user's device, by the account's number of it: good for what endpoints say.
  case device(Int32)
}

extension Bearer {
  private static let programText = "program"

  /// What the gateway tells services; nil for a person who logged in.
  package var fieldValue: String? {
    switch self {
    case .login: nil
    case .program: Self.programText
    case .device(let number): String(number)
    }
  }

  /// Reads what the gateway tells; nil for anything else.
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
  /// Whether a third party's key is good for it.
  package var takesPrograms: Bool {
    switch caller {
    case .anyone, .singleUser: false
    case .account, .thirdParty: !isForPeopleOnly
    }
  }

  /// Whether this bearer, of an account of this kind, may call.
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
