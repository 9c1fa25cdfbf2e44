import Time

/// A third party's request for one person's data, from its creation to its end (R10–R23).
///
/// Pure rules: every method takes the time as an argument. It either changes the state and reports
/// so, or throws and changes nothing.
package struct SingleRequest: Hashable, Sendable {
  /// The state of a request.
  package enum State: Hashable, Sendable {
    /// Not answered yet.
    case pending
    /// Accepted, with a payment outstanding (REQ-7).
    case paymentDue(Acceptance)
    /// Accepted: data may be disclosed.
    case accepted(Acceptance)
    /// Declined at that time.
    case declined(Instant)
    /// Not answered in time (REQ-1).
    case expired(Instant)
    /// Over since that time, with the previous acceptance.
    case ended(Instant, EndReason, Acceptance)
  }

  /// The terms that the person accepted.
  package struct Acceptance: Hashable, Sendable {
    /// The time of acceptance.
    package let time: Instant
    /// The accepted types, a subset of the requested ones.
    package let types: DataTypeSet
    /// The automatic end of the subscription; nil without subscription.
    package let endsAt: Instant?
    /// The number of the account's next sample at acceptance: samples stored before have smaller
    /// ones.
    package let nextSequence: Int64

    /// Creates an acceptance from storage.
    package init(
      time: Instant, types: DataTypeSet, endsAt: Instant?, nextSequence: Int64
    ) {
      self.time = time
      self.types = types
      self.endsAt = endsAt
      self.nextSequence = nextSequence
    }
  }

  /// The reason why an accepted request is over; the raw value is the API's `reason`.
  package enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The person ended it: no data is disclosed any longer (R21).
    case singleUser = "ended by the user"
    /// The third party ended it; data disclosed before stays downloadable (R21).
    case thirdParty = "ended by the third party"
    /// It expired; data disclosed before stays downloadable.
    case periodOver = "period over"
    /// None of the types was available at acceptance (R22).
    case noData = "no data"
    /// The person's or the third party's account was deleted (ACC-8).
    case accountDeleted = "account deleted"
  }

  /// The request's identifier.
  package let id: DataRequestID
  /// The purpose.
  package let purpose: SingleRequestPurpose
  /// The requesting account.
  package let thirdParty: AccountID
  /// The account whose data is requested.
  package let singleUser: AccountID
  /// The requested terms.
  package let terms: SingleRequestTerms
  /// The time of creation.
  package let createdAt: Instant
  /// The time at which it expires if it is not answered.
  package let expiresAt: Instant
  /// The current state.
  package private(set) var state: State

  /// Creates a request, pending for `answerWithinSeconds` (REQ-1; three days by default).
  package init(
    id: DataRequestID, thirdParty: AccountID, singleUser: AccountID, terms: SingleRequestTerms,
    now: Instant, answerWithinSeconds: Int64 = 259_200
  ) {
    self.init(
      stored: id, thirdParty: thirdParty, singleUser: singleUser, terms: terms, createdAt: now,
      expiresAt: now.adding(seconds: max(answerWithinSeconds, 0)), state: .pending)
  }

  /// Creates a request from storage.
  package init(
    stored id: DataRequestID, for purpose: SingleRequestPurpose = .data, thirdParty: AccountID,
    singleUser: AccountID, terms: SingleRequestTerms,
    createdAt: Instant, expiresAt: Instant, state: State
  ) {
    self.id = id
    self.purpose = purpose
    self.thirdParty = thirdParty
    self.singleUser = singleUser
    self.terms = terms
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.state = state
  }

  /// The API's `status`.
  package var status: SingleRequestStatus {
    switch state {
    case .pending: .pending
    case .paymentDue: .paymentDue
    case .accepted: .accepted
    case .declined: .declined
    case .expired: .expired
    case .ended: .ended
    }
  }

  /// The acceptance, once there is one.
  package var acceptance: Acceptance? {
    switch state {
    case .paymentDue(let acceptance), .accepted(let acceptance): acceptance
    case .ended(_, _, let acceptance): acceptance
    case .pending, .declined, .expired: nil
    }
  }

  mutating func change(to next: State) { state = next }
}

/// The API's `status` of a single request.
package enum SingleRequestStatus: String, Hashable, Sendable, CaseIterable {
  /// Not answered yet.
  case pending
  /// Accepted: a running subscription, or a fixed set that can be downloaded.
  case accepted
  /// Declined by the person.
  case declined
  /// Not answered in time.
  case expired
  /// Over.
  case ended
  /// Accepted and not paid yet.
  case paymentDue = "payment due"
}
