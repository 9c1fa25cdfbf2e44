import Domain
import JSON
import PublicAPI

/// The fields of a third party's profile that registration and settings share (ACC-4).
struct ThirdPartyFields: Sendable {
  var sector = Change<ProfileLine>.keep
  var phone = Change<PhoneNumber>.keep
  var legalAddress = Change<ProfileLine>.keep
  var billingAddress = Change<ProfileLine>.keep
  var representative = Change<Representative>.keep
  var paymentMethod = Change<PaymentMethod>.keep
  var services = Change<[ShownService]>.keep
  var coordinate = Change<GeoPoint>.keep
  var locale = LocaleFields()

  /// Reads the value of a field; false if it belongs to another type.
  mutating func read(
    _ key: JSONKey, from reader: inout JSONReader
  ) throws(JSONError) -> Bool {
    switch key {
    case "sector": sector = try Self.line(&reader)
    case "phone":
      phone = try reader.change { (reader) throws(JSONError) in
        try reader.parsed { (text) throws(PhoneNumberError) in try PhoneNumber(text) }
      }
    case "legal_address": legalAddress = try Self.line(&reader)
    case "billing_address": billingAddress = try Self.line(&reader)
    case "representative":
      representative = try reader.change { (reader) throws(JSONError) in
        try Representative(from: &reader)
      }
    case "payment_method":
      paymentMethod = try reader.change { (reader) throws(JSONError) in
        try reader.enumCase(PaymentMethod.self)
      }
    case "services": services = try reader.change(Self.services)
    case "coordinate":
      coordinate = try reader.change { (reader) throws(JSONError) in
        try reader.parsed { (text) throws(GeoPointError) in try GeoPoint(text) }
      }
    default: return try locale.read(key, from: &reader)
    }
    return true
  }

  private static func line(_ reader: inout JSONReader) throws(JSONError) -> Change<ProfileLine> {
    try reader.change { (reader) throws(JSONError) in
      try reader.parsed { (text) throws(ProfileLineError) in try ProfileLine(text) }
    }
  }

  private static func services(_ reader: inout JSONReader) throws(JSONError) -> [ShownService] {
    var services: [ShownService] = []
    try reader.beginArray(countMax: ShownService.allCases.count)
    while try reader.nextElement() {
      let service = try reader.enumCase(ShownService.self)
      guard !services.contains(service) else { throw reader.refusal("Name each service once.") }
      services.append(service)
    }
    return services
  }

  /// Puts the fields into a profile.
  func apply(to profile: inout ThirdPartyProfile) {
    profile.sector = sector.applied(to: profile.sector) { $0.text }
    profile.phone = phone.applied(to: profile.phone) { $0.text }
    profile.legalAddress = legalAddress.applied(to: profile.legalAddress) { $0.text }
    profile.billingAddress = billingAddress.applied(to: profile.billingAddress) { $0.text }
    profile.representative = representative.applied(to: profile.representative) { $0 }
    profile.paymentMethod = paymentMethod.applied(to: profile.paymentMethod) { $0.rawValue }
    profile.services =
      services.applied(to: profile.services) { $0.map(\.rawValue) } ?? []
    profile.coordinate = coordinate.applied(to: profile.coordinate) { $0.text }
  }
}
