/// A third party's request for one person's data, from its creation to its end (R10–R23).
///
/// Pure rules: every method takes the time, and either changes the state and says so or throws and
/// changes nothing.
package struct SingleRequest: Hashable, Sendable {
  /// Where a request stands.
  package enum State: Hashable, Sendable {
    /// Nobody has answered yet.
    case pending
    /// Accepted, and waiting for a payment (REQ-7).
    case paymentDue(Acceptance)
    /// Accepted: data may be handed out.
    case accepted(Acceptance)
    /// Declined at that time.
    case declined(Timestamp)
    /// Nobody answered in time (REQ-1).
    case expired(Timestamp)
    /// Over since that time; with what had been accepted.
    case ended(Timestamp, EndReason, Acceptance)
  }

  /// What the user agreed to.
  package struct Acceptance: Hashable, Sendable {
    /// When.
    package let time: Timestamp
    /// The types accepted, all of them asked for.
    package let types: DataTypeSet
    /// When the subscription ends by itself; nil without subscription.
    package let endsAt: Timestamp?
    /// The number that the account's next sample was to get: what was stored has smaller ones.
    package let nextSequence: Int64

    /// An acceptance as it was stored.
    package init(
      time: Timestamp, types: DataTypeSet, endsAt: Timestamp?, nextSequence: Int64
    ) {
      self.time = time
      self.types = types
      self.endsAt = endsAt
      self.nextSequence = nextSequence
    }
  }

  /// Why an accepted request is over; the raw value is the API's `reason`.
  package enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The user ended it: nothing more is handed out (R21).
    case singleUser = "ended by the user"
    /// The third party ended it; what it had been given stays downloadable (R21).
    case thirdParty = "ended by the third party"
    /// Its time was over; what had been given stays downloadable.
    case periodOver = "period over"
    /// At acceptance none of the types was available (R22).
    case noData = "no data"
    /// The user's or the third party's account is gone (ACC-8).
    case accountDeleted = "account deleted"
  }

  /// The request's identifier.
  package let id: DataRequestID
  /// What it is for.
  package let purpose: SingleRequestPurpose
  /// Who asks.
  package let thirdParty: AccountID
  /// Whose data is asked for.
  package let singleUser: AccountID
  /// What is asked for.
  package let terms: SingleRequestTerms
  /// When it was made.
  package let createdAt: Timestamp
  /// When it expires unless it is answered before.
  package let expiresAt: Timestamp
  /// Where it stands.
  package private(set) var state: State

  /// A new request, pending for `answerWithinSeconds` (REQ-1; three days by default).
  package init(
    id: DataRequestID, thirdParty: AccountID, singleUser: AccountID, terms: SingleRequestTerms,
    now: Timestamp, answerWithinSeconds: Int64 = 259_200
  ) {
    self.init(
      stored: id, thirdParty: thirdParty, singleUser: singleUser, terms: terms, createdAt: now,
      expiresAt: now.adding(seconds: max(answerWithinSeconds, 0)), state: .pending)
  }

  /// A request as it was stored.
  package init(
    stored id: DataRequestID, for purpose: SingleRequestPurpose = .data, thirdParty: AccountID,
    singleUser: AccountID, terms: SingleRequestTerms,
    createdAt: Timestamp, expiresAt: Timestamp, state: State
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

  /// What was accepted, once it was.
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
  /// Accepted and running, or a fixed set that can be downloaded.
  case accepted
  /// Declined by the user.
  case declined
  /// Not answered in time.
  case expired
  /// Over.
  case ended
  /// Accepted and not paid yet.
  case paymentDue = "payment due"
}
