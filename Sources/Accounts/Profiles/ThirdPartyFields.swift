import Domain
import PublicAPI

extension ThirdPartyFields {
  /// Puts the fields into a profile.
  func apply(to profile: inout ThirdPartyProfile) {
    profile.sector = sector.applied(to: profile.sector) { $0.text }
    profile.phone = phone.applied(to: profile.phone) { $0.text }
    profile.legalAddress = legalAddress.applied(to: profile.legalAddress) { $0.text }
    profile.billingAddress = billingAddress.applied(to: profile.billingAddress) { $0.text }
    profile.representative = representative.applied(to: profile.representative) {
      Representative($0)
    }
    profile.paymentMethod = paymentMethod.applied(to: profile.paymentMethod) { $0.rawValue }
    profile.services =
      services.applied(to: profile.services) { $0.map(\.rawValue) } ?? []
    profile.coordinate = coordinate.applied(to: profile.coordinate) { $0.text }
  }
}
