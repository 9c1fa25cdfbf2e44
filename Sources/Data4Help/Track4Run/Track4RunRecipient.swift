import Domain

extension AccountID {
  /// Track4Run among those who have a sequence: accounts are numbered from 1, so that nobody else
  /// has this one. The generated column `recipient_id` says the same.
  static let track4run = AccountID(rawValue: 0)
}

extension SingleRequestPurpose {
  /// In whose sequence stands what a request of this third party gives.
  func recipient(askedBy thirdParty: AccountID) -> AccountID {
    switch self {
    case .data: thirdParty
    case .checkIn: .track4run
    }
  }
}

extension SingleRequest {
  /// In whose sequence stands what it gives, and what becomes of it.
  var recipient: AccountID { purpose.recipient(askedBy: thirdParty) }
}
