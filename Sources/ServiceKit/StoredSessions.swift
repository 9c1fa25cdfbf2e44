import Domain
import Postgres
import PublicAPI

// The column values of sessions, for the service that writes them and the gateway that reads them.

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

/// The carrier of a token, as a number.
package enum StoredBearer: Int16, PostgresValue {
  case login = 1
  case program = 2
  case device = 3
}
