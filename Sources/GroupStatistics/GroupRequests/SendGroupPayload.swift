import Domain
import JSON
import PublicAPI
import ServiceKit
import Sharing
import Time

extension SendGroupBody {
  /// The requested terms, as of `now`.
  ///
  /// - Throws: `invalid` with the field that is wrong.
  func terms(now: Instant) throws(ApplicationError) -> GroupRequestTerms {
    do throws(GroupRequestTermsError) {
      return try GroupRequestTerms(
        types: types, breakdown: breakdown, subscribing: isSubscribing, duration: duration,
        from: from, to: to, now: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }

  /// The requested terms without a check of their times, for a comparison with an earlier request.
  var statedTerms: GroupRequestTerms {
    GroupRequestTerms(
      stored: DataTypeSet(types), breakdown: breakdown, subscribing: isSubscribing,
      duration: duration, from: from, to: to)
  }

  /// The search parameters.
  ///
  /// - Throws: `invalid` with the index of the parameter that is wrong.
  func parameters() throws(ApplicationError) -> [SearchParameter] {
    do throws(SearchListError) {
      return try SearchParameter.list(search)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }
}
