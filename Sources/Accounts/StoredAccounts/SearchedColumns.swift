import Domain

/// The columns of a profile stored in clear text for searches; all empty for a third party.
struct SearchedColumns: Sendable {
  var birthDate: CalendarDate?
  var sex: Sex?
  var residence: String?
  var birthPlace: String?
  var nationality: String?
  var occupation: String?

  init() {}

  init(_ profile: SingleUserProfile, _ birthDate: BirthDate, _ sex: Sex) {
    self.birthDate = birthDate.date
    self.sex = sex
    residence = profile.residence
    birthPlace = profile.birthPlace
    nationality = profile.nationality
    occupation = profile.occupation
  }
}
