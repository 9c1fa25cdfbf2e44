import Bytes
import Domain
import EventLoop
import Postgres
import Web

// The column values of single requests.

extension DataRequestID {
  /// A new one, from the environment's randomness.
  package init(_ environment: Environment) {
    let bytes = environment.randomBytes(16)
    self.init(
      random: UInt64(bigEndianBytes: bytes.prefix(8)), UInt64(bigEndianBytes: bytes.suffix(8)))
  }
}

extension RequestDuration: PostgresValue {
  /// int8, in seconds.
  package static var postgresType: PostgresType { .int8 }

  /// The seconds.
  package func encode(into bytes: inout [UInt8]) { seconds.encode(into: &bytes) }

  /// - Throws: `PostgresError.unexpectedResult` for a value that is not a duration of a
  ///   subscription.
  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> RequestDuration {
    let seconds = try Int64.decode(bytes)
    do throws(RequestDurationError) { return try RequestDuration(seconds: seconds) } catch {
      throw .unexpectedResult("a stored duration is out of bounds")
    }
  }
}

/// The status of a request, as a number.
package enum StoredStatus: Int16, PostgresValue {
  case pending = 1
  case accepted = 2
  case declined = 3
  case expired = 4
  case ended = 5
  case paymentDue = 6

  init(_ state: SingleRequest.State) {
    switch state {
    case .pending: self = .pending
    case .accepted: self = .accepted
    case .declined: self = .declined
    case .expired: self = .expired
    case .ended: self = .ended
    case .paymentDue: self = .paymentDue
    }
  }

  init(_ status: SingleRequestStatus) {
    switch status {
    case .pending: self = .pending
    case .accepted: self = .accepted
    case .declined: self = .declined
    case .expired: self = .expired
    case .ended: self = .ended
    case .paymentDue: self = .paymentDue
    }
  }

  /// The statuses in the query's `status`, whose names were checked with the declared parameters;
  /// all statuses without it.
  static func named(in query: Query) -> [StoredStatus] {
    guard let names = query["status"] else {
      return SingleRequestStatus.allCases.map(StoredStatus.init)
    }
    return names.split(separator: ",").compactMap { SingleRequestStatus(rawValue: String($0)) }
      .map(StoredStatus.init)
  }
}

/// The reason why a request is over, as a number.
package enum StoredEndReason: Int16, PostgresValue {
  case singleUser = 1
  case thirdParty = 2
  case periodOver = 3
  case noData = 4
  case accountDeleted = 5

  init(_ reason: SingleRequest.EndReason) {
    switch reason {
    case .singleUser: self = .singleUser
    case .thirdParty: self = .thirdParty
    case .periodOver: self = .periodOver
    case .noData: self = .noData
    case .accountDeleted: self = .accountDeleted
    }
  }

  var reason: SingleRequest.EndReason {
    switch self {
    case .singleUser: .singleUser
    case .thirdParty: .thirdParty
    case .periodOver: .periodOver
    case .noData: .noData
    case .accountDeleted: .accountDeleted
    }
  }
}
