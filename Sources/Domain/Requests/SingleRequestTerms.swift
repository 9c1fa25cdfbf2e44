/// The one person a single request names (R11): by email or by fiscal code, never by both.
package enum SingleRequestAddressee: Hashable, Sendable {
  /// The person with this email address.
  case email(EmailAddress)
  /// The person with this fiscal code.
  case fiscalCode(FiscalCode)

  /// The addressee of a request's two fields.
  ///
  /// Throws `noAddressee` if neither is given and `twoAddressees` if both are.
  package init(
    email: EmailAddress?, fiscalCode: FiscalCode?
  ) throws(SingleRequestTermsError) {
    switch (email, fiscalCode) {
    case (let email?, nil): self = .email(email)
    case (nil, let fiscalCode?): self = .fiscalCode(fiscalCode)
    case (nil, nil): throw .noAddressee
    case (_?, _?): throw .twoAddressees
    }
  }
}

/// What a third party asks for: types, subscription, duration, observation period (R18–R20, REQ-6).
package struct SingleRequestTerms: Hashable, Sendable {
  /// The types asked for, at least one.
  package let types: DataTypeSet
  /// Whether new data is wanted too.
  package let subscribing: Bool
  /// How long the subscription lasts from acceptance on; nil without subscription, or where `to`
  /// ends it.
  package let duration: RequestDuration?
  /// Samples from this time on; nil is everything stored.
  package let from: Timestamp?
  /// Samples before this time; nil is up to acceptance, or to the end of the subscription.
  package let to: Timestamp?

  /// The terms of a new request as seen at `now`; a duration without subscription is dropped.
  ///
  /// Throws `noTypes`, `typeNamedTwice`, `periodEmpty` unless `from` comes before `to`,
  /// `futureNeedsSubscription` for a `from` or `to` after `now` without subscription, and
  /// `durationMissing` for a subscription with neither a duration nor a `to` after `now`.
  package init(
    types: [DataType], subscribing: Bool, duration: RequestDuration?, from: Timestamp? = nil,
    to: Timestamp? = nil, now: Timestamp
  ) throws(SingleRequestTermsError) {
    guard !types.isEmpty else { throw .noTypes }
    guard let distinct = DataTypeSet(distinct: types) else { throw .typeNamedTwice }
    if let from, let to, from >= to { throw .periodEmpty }
    let toIsFuture = to.map { $0 > now } ?? false
    let fromIsFuture = from.map { $0 > now } ?? false
    if !subscribing, toIsFuture || fromIsFuture { throw .futureNeedsSubscription }
    if subscribing, duration == nil, !toIsFuture { throw .durationMissing }
    self.init(
      stored: distinct, subscribing: subscribing, duration: subscribing ? duration : nil,
      from: from, to: to)
  }

  /// Terms that were checked when they were stored.
  package init(
    stored types: DataTypeSet, subscribing: Bool, duration: RequestDuration?, from: Timestamp?,
    to: Timestamp?
  ) {
    self.types = types
    self.subscribing = subscribing
    self.duration = duration
    self.from = from
    self.to = to
  }
}

/// Why a third party can't ask for this.
package enum SingleRequestTermsError: DomainError {
  /// Neither an email nor a fiscal code.
  case noAddressee
  /// Both an email and a fiscal code.
  case twoAddressees
  /// No data type.
  case noTypes
  /// A data type twice.
  case typeNamedTwice
  /// The observation period ends before it begins.
  case periodEmpty
  /// The observation period reaches into the future without a subscription.
  case futureNeedsSubscription
  /// A subscription without an end.
  case durationMissing

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .noAddressee: "A single request names a person by email or by fc."
    case .twoAddressees: "A single request names a person by email or by fc, not by both."
    case .noTypes: "A single request lists at least one data type."
    case .typeNamedTwice: "A data type is listed twice."
    case .periodEmpty: "The observation period's from lies before its to."
    case .futureNeedsSubscription:
      "An observation period that reaches into the future needs subscribing to be true."
    case .durationMissing: "A subscription needs a duration, or a to in the future."
    }
  }
}
