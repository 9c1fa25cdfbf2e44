import Domain
import HTTP
import JSON
import Services

/// The body of `sendGroup`.
struct SendGroupPayload: JSONReadable {
  var requestID: DataRequestID?
  let types: [DataType]
  let search: [String]
  let isSubscribing: Bool
  var breakdown: GroupBreakdown?
  /// Nil without a subscription, even if a duration was sent.
  let duration: RequestDuration?
  var from: Timestamp?
  var to: Timestamp?

  init(from reader: inout JSONReader) throws(JSONError) {
    var types: [DataType]?
    var search: [String]?
    var isSubscribing: Bool?
    var seconds: Int?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID":
        requestID = try reader.valueUnlessEmpty { (reader) throws(JSONError) in
          try reader.requestID()
        }
      case "dataTypes": types = try reader.dataTypes()
      case "searchParams":
        search = try reader.list(of: String.self, countMax: SearchParameter.countMax)
      case "groupBy":
        breakdown = GroupBreakdown(rawValue: try reader.string())
        if breakdown == nil { throw reader.refusal("Group by ageBand, sex or region.") }
      case "subscribing": isSubscribing = try reader.boolean()
      case "duration":
        seconds = try reader.valueUnlessEmpty { (reader) throws(JSONError) in
          try reader.integer()
        }
      case "from":
        from = try reader.parsed { text throws(TimestampError) in try Timestamp(utf8: text) }
      case "to":
        to = try reader.parsed { text throws(TimestampError) in try Timestamp(utf8: text) }
      default: break
      }
    }
    self.types = try reader.mandatory("dataTypes", types)
    self.search = try reader.mandatory("searchParams", search)
    let subscribes = try reader.mandatory("subscribing", isSubscribing)
    self.isSubscribing = subscribes
    duration = try reader.duration(ofSeconds: seconds, subscribing: subscribes)
  }

  /// The requested terms, as of `now`.
  ///
  /// - Throws: `invalid` with the field that is wrong.
  func terms(now: Timestamp) throws(ApplicationError) -> GroupRequestTerms {
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
