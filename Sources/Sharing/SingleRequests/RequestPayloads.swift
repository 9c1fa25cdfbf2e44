import Domain
import JSON
import PublicAPI
import ServiceKit
import Time

extension SendSingleBody {
  /// The person it names (R11).
  ///
  /// - Throws: `invalid` unless exactly one of email and fiscal code is present.
  package func addressee() throws(ApplicationError) -> SingleRequestAddressee {
    do throws(SingleRequestTermsError) {
      return try SingleRequestAddressee(email: email, fiscalCode: fiscalCode)
    } catch {
      throw .invalid(error, field: "email")
    }
  }

  /// The requested terms, as of `now`.
  ///
  /// - Throws: `invalid` with the field that is wrong.
  package func terms(now: Instant) throws(ApplicationError) -> SingleRequestTerms {
    do throws(SingleRequestTermsError) {
      return try SingleRequestTerms(
        types: types, subscribing: isSubscribing, duration: duration, from: from, to: to,
        now: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }

  /// The requested terms without a check of their times, for a comparison with an earlier request.
  var statedTerms: SingleRequestTerms {
    SingleRequestTerms(
      stored: DataTypeSet(types), subscribing: isSubscribing,
      duration: duration, from: from, to: to)
  }
}

extension SingleRequestTermsError {
  /// The field that the client must change.
  fileprivate var field: String {
    switch self {
    case .noAddressee, .twoAddressees: "email"
    case .noTypes, .typeNamedTwice: "dataTypes"
    case .periodEmpty: "from"
    case .futureNeedsSubscription: "subscribing"
    case .durationMissing: "duration"
    }
  }
}
