import Domain
import PublicAPI

extension SingleUserFields {
  /// Sets the fields that need no look-up in a profile.
  func apply(to profile: inout SingleUserProfile) {
    profile.phone = phone.applied(to: profile.phone) { $0.text }
    profile.address = address.applied(to: profile.address) { $0.text }
    profile.nationality = nationality.applied(to: profile.nationality) { $0.text }
    profile.occupation = occupation.applied(to: profile.occupation) { $0.rawValue }
    profile.height = height.applied(to: profile.height) { $0 }
    profile.weight = weight.applied(to: profile.weight) { $0 }
    profile.diseases = diseases.applied(to: profile.diseases) { $0 } ?? []
  }
}
