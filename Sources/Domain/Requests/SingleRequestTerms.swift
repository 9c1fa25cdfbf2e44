import Time

/// The person of a single request (R11), identified by email or by fiscal code, never by both.
package enum SingleRequestAddressee: Hashable, Sendable {
  /// The person with this email address.
  case email(EmailAddress)
  /// The person with this fiscal code.
  case fiscalCode(FiscalCode)

  /// Creates the addressee from a request's two fields.
  ///
  /// Throws `noAddressee` if neither is present and `twoAddressees` if both are.
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

/// The requested terms: types, subscription, duration, observation period (R18–R20, REQ-6).
package struct SingleRequestTerms: Hashable, Sendable {
  /// The requested types, at least one.
  package let types: DataTypeSet
  /// Whether new data is requested too.
  package let subscribing: Bool
  /// The length of the subscription from acceptance; nil without subscription, or if `to` ends it.
  package let duration: RequestDuration?
  /// Samples from this time; nil for everything stored.
  package let from: Instant?
  /// Samples before this time; nil for all up to acceptance, or to the end of the subscription.
  package let to: Instant?

  /// Creates the terms of a new request at `now`; a duration without subscription is dropped.
  ///
  /// Throws `noTypes`, `typeNamedTwice`, `periodEmpty` unless `from` is before `to`,
  /// `futureNeedsSubscription` for a `from` or `to` after `now` without subscription, and
  /// `durationMissing` for a subscription with neither a duration nor a `to` after `now`.
  package init(
    types: [DataType], subscribing: Bool, duration: RequestDuration?, from: Instant? = nil,
    to: Instant? = nil, now: Instant
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

  /// Creates terms that were checked before they were stored.
  package init(
    stored types: DataTypeSet, subscribing: Bool, duration: RequestDuration?, from: Instant?,
    to: Instant?
  ) {
    self.types = types
    self.subscribing = subscribing
    self.duration = duration
    self.from = from
    self.to = to
  }
}

/// The reason why a third party cannot create this request.
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
  /// The observation period extends into the future without a subscription.
  case futureNeedsSubscription
  /// A subscription without an end.
  case durationMissing

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .noAddressee: "A single request names a person by email or by fc."
    case .twoAddressees: "A single request names a person by email or by fc, not by both."
    case .noTypes: "A single request lists at least one data type."
    case .typeNamedTwice: "A data type is listed twice."
    case .periodEmpty: "The observation period's `from` must be before its `to`."
    case .futureNeedsSubscription:
      "An observation period that reaches into the future needs subscribing to be true."
    case .durationMissing: "A subscription needs a duration, or a to in the future."
    }
  }
}
