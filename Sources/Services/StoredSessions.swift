import Domain
import Postgres
import PublicAPI

// How the words of sessions stand in columns, for the service that writes them and the gateway that
// follows them.

/// The kind of an account as a number.
package enum StoredKind: Int16, PostgresValue {
  case singleUser = 1
  case thirdParty = 2

  /// The number of a kind.
  package init(_ kind: AccountKind) {
    switch kind {
    case .singleUser: self = .singleUser
    case .thirdParty: self = .thirdParty
    }
  }

  /// The kind of a number.
  package var kind: AccountKind {
    switch self {
    case .singleUser: .singleUser
    case .thirdParty: .thirdParty
    }
  }
}

/// What shows a token, as a number.
package enum StoredBearer: Int16, PostgresValue {
  case login = 1
  case program = 2
  case device = 3
}
