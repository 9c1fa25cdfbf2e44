import Domain

extension AccountID {
  /// Track4Run as the owner of a sequence: accounts are numbered from 1, so no account has this
  /// number. The generated column `recipient_id` has the same rule.
  static let track4run = AccountID(rawValue: 0)
}

extension SingleRequestPurpose {
  /// The owner of the sequence for the data of a request of this third party.
  func recipient(askedBy thirdParty: AccountID) -> AccountID {
    switch self {
    case .data: thirdParty
    case .checkIn: .track4run
    }
  }
}

extension SingleRequest {
  /// The owner of the sequence for its data and its changes.
  var recipient: AccountID { purpose.recipient(askedBy: thirdParty) }
}
