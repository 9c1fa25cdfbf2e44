import Domain
import JSON

// The fields of profiles that registrations and settings share (ACC-3, ACC-4).

/// The language and time zone of texts, for both kinds of account.
package struct LocaleFields: Sendable {
  /// The language of mails and notices.
  package let language: Change<Language>
  /// The time zone, not yet looked up.
  package let timeZone: Change<String>

  /// The fields.
  fileprivate static let document = JSONDocument(
    .optional(
      "language", JSONForm<Language>.enumCase.changed,
      "The language of mails and notices; null for Italian.", else: .keep),
    .optional(
      "time_zone", JSONForm<String>.string(lengthMax: 64).changed,
      "The time zone of times in mails, an IANA name such as `Europe/Rome`; null for that "
        + "of the installation.", else: .keep),
    make: LocaleFields.init)
}

/// The fields of a single user's profile (ACC-3).
package struct SingleUserFields: Sendable {
  /// The telephone number.
  package let phone: Change<PhoneNumber>
  /// The address.
  package let address: Change<ProfileLine>
  /// The residence, not yet looked up.
  package let residence: Change<NamedPlace>
  /// The birth place, not yet looked up.
  package let birthPlace: Change<NamedPlace>
  /// The nationality.
  package let nationality: Change<CountryCode>
  /// The occupation.
  package let occupation: Change<Occupation>
  /// The height in metres.
  package let height: Change<Double>
  /// The weight in kilograms.
  package let weight: Change<Double>
  /// The chronic diseases, each once.
  package let diseases: Change<[DiseaseEntry]>
  /// The language and time zone.
  package let locale: LocaleFields

  /// The fields.
  static let document = JSONDocument(
    .optional("phone", JSONForm<PhoneNumber>.phone.changed, else: .keep),
    .optional("address", JSONForm<ProfileLine>.profileLine.changed, else: .keep),
    .optional(
      "residence", .changedPlaceOfPerson,
      "A current municipality by name, such as `Samone (TN)` if several share the name, "
        + "or by ISTAT code; abroad a country and a place.", else: .keep),
    .optional(
      "birth_place", .changedPlaceOfPerson,
      "A municipality, including former ones, or a country, optionally with a place; it "
        + "must match the fiscal code.", else: .keep),
    .optional("nationality", .changedNationality, "ISO 3166-1 alpha-2.", else: .keep),
    .optional("occupation", JSONForm<Occupation>.enumCase.changed, else: .keep),
    .optional("height", .changedMeasure(.height, "metres"), "In metres.", else: .keep),
    .optional("weight", .changedMeasure(.weight, "kilograms"), "In kilograms.", else: .keep),
    .optional("diseases", JSONForm<[DiseaseEntry]>.diseases.changed, else: .keep),
    .part(LocaleFields.document),
    make: SingleUserFields.init)
}

/// The fields of a third party's profile (ACC-4).
package struct ThirdPartyFields: Sendable {
  /// The sector.
  package let sector: Change<ProfileLine>
  /// The telephone number.
  package let phone: Change<PhoneNumber>
  /// The legal address.
  package let legalAddress: Change<ProfileLine>
  /// The billing address.
  package let billingAddress: Change<ProfileLine>
  /// The legal representative.
  package let representative: Change<RepresentativeBody>
  /// The preferred method of payment.
  package let paymentMethod: Change<PaymentMethod>
  /// The products that it uses, each once.
  package let services: Change<[ShownService]>
  /// The position.
  package let coordinate: Change<GeoPoint>
  /// The language and time zone.
  package let locale: LocaleFields

  /// The fields.
  static let document = JSONDocument(
    .optional("sector", JSONForm<ProfileLine>.profileLine.changed, else: .keep),
    .optional("phone", JSONForm<PhoneNumber>.phone.changed, else: .keep),
    .optional("legal_address", JSONForm<ProfileLine>.profileLine.changed, else: .keep),
    .optional("billing_address", JSONForm<ProfileLine>.profileLine.changed, else: .keep),
    .optional("representative", JSONForm<RepresentativeBody>.document.changed, else: .keep),
    .optional("payment_method", JSONForm<PaymentMethod>.enumCase.changed, else: .keep),
    .optional("services", JSONForm<[ShownService]>.services.changed, else: .keep),
    .optional("coordinate", JSONForm<GeoPoint>.coordinate.changed, "`lat,lon`", else: .keep),
    .part(LocaleFields.document),
    make: ThirdPartyFields.init)
}

/// The legal representative of a company.
package struct RepresentativeBody: JSONDocumented {
  /// The name.
  package let fullName: FullName
  /// The fiscal code.
  package let fiscalCode: FiscalCode?
  /// The telephone number.
  package let phone: PhoneNumber?
  /// The email.
  package let email: EmailAddress?
  /// The address of the office.
  package let officeAddress: ProfileLine?

  /// The fields.
  package static let document = JSONDocument(
    .required("full_name", .fullName), .optional("fc", .fiscalCode),
    .optional("phone", .phone), .optional("email", .email),
    .optional("office_address", .profileLine),
    make: RepresentativeBody.init)
}

/// A chronic disease of a profile with its medicines; the same JSON on the wire and sealed (ACC-3).
package struct DiseaseEntry: Equatable, JSONDocumented, JSONWritable {
  /// The disease.
  package let disease: ChronicDisease
  /// Its medicines.
  package let drugs: [DrugEntry]

  /// The fields.
  package static let document = JSONDocument(
    .required(
      "code", .disease,
      "An ICD-10 code or one of "
        + ChronicDisease.allCases.map(\.rawValue).joined(separator: ", ") + "."),
    .optional("drugs", JSONForm<DrugEntry>.document.list(countMax: 20), else: []),
    make: DiseaseEntry.init)

  /// Writes the same JSON.
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("code", disease.rawValue)
      $0.field("drugs", drugs)
    }
  }

  /// Reads the diseases of a profile, each once.
  package static func list(_ reader: inout JSONReader) throws(JSONError) -> [DiseaseEntry] {
    try JSONForm<[DiseaseEntry]>.diseases.read(&reader)
  }
}

/// A medicine on the wire and sealed.
package struct DrugEntry: Equatable, JSONDocumented, JSONWritable {
  /// The medicine.
  package let drug: Drug

  /// Checks the content of a medicine.
  private init(name: ProfileLine, doses: Double) throws(JSONError) {
    guard let drug = Drug(name: name, dosesPerDay: doses) else {
      throw JSONError(.missing, offset: 0, path: "dosesPerDay")
    }
    self.drug = drug
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("name", .profileLine), .required("dosesPerDay", .doses), make: DrugEntry.init)

  /// Writes the same JSON.
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("name", drug.name)
      $0.field("dosesPerDay", drug.dosesPerDay)
    }
  }
}

/// Consent to one version of a document, as a client sends it (ACC-2).
package struct ConsentEntry: Hashable, JSONDocumented {
  /// The document.
  package let document: LegalDocument
  /// Its version.
  package let version: String

  /// The fields.
  package static let document = JSONDocument(
    .required("document", .enumCase), .required("version", .string()), make: ConsentEntry.init)
}

/// A place outside Italy with its country.
struct PlaceAbroadBody: JSONDocumented {
  /// The place.
  let place: NamedPlace

  /// Checks the content of a place.
  private init(country: CountryCode, place: ProfileLine) throws(JSONError) {
    do throws(NameError) { self.place = try NamedPlace(country: country, place: place) } catch {
      throw JSONError(.refused(sentence: error.description), offset: 0, path: "")
    }
  }

  /// The fields.
  static let document = JSONDocument(
    .required("country", .country, "ISO 3166-1 alpha-2."), .required("place", .profileLine),
    make: PlaceAbroadBody.init)
}

extension JSONForm<Change<NamedPlace>> {
  /// A changed residence or birth place.
  fileprivate static var changedPlaceOfPerson: Self {
    Self(.place) { (reader) throws(JSONError) in
      if try reader.null() { return .clear }
      if try reader.kind() == .object { return .set(try PlaceAbroadBody(from: &reader).place) }
      let text = try reader.string()
      do throws(NameError) { return .set(.known(try PlaceName(text))) } catch {
        throw reader.refusal(error.description)
      }
    }
  }
}

extension JSONForm<ChronicDisease> {
  /// The name of a disease, or its ICD-10 code.
  fileprivate static var disease: Self {
    Self(.string(lengthMax: 64)) { (reader) throws(JSONError) in
      guard let disease = ChronicDisease(code: try reader.string()) else {
        throw reader.refusal("Name a disease of the list, such as diabetes, or its ICD-10 code.")
      }
      return disease
    }
  }
}

extension JSONForm<Double> {
  /// The doses of a medicine a day.
  fileprivate static var doses: Self {
    Self(.number(Drug.doses)) { (reader) throws(JSONError) in
      let number = try reader.double()
      guard Drug.doses.contains(number) else {
        throw reader.refusal(
          "The number of doses a day is \(Drug.doses.lowerBound) to \(Drug.doses.upperBound).")
      }
      return number
    }
  }
}

extension JSONForm<[DiseaseEntry]> {
  /// The diseases of a profile, each once.
  fileprivate static var diseases: Self {
    JSONForm<DiseaseEntry>.document.list(countMax: 40)
      .distinct("Name each disease once.") { $0.disease }
  }
}

extension JSONForm<[ConsentEntry]> {
  /// Consents, each document once.
  static var consents: Self {
    JSONForm<ConsentEntry>.document.list(countMax: LegalDocument.allCases.count)
      .distinct("Name each document once.") { $0.document }
  }
}

extension JSONForm<[ShownService]> {
  /// Products of the operator, each once.
  fileprivate static var services: Self {
    let form = JSONForm<ShownService>.enumCase
    let countMax = ShownService.allCases.count
    return Self(.array(of: form.schema, countMax: countMax)) { (reader) throws(JSONError) in
      var services: [ShownService] = []
      try reader.beginArray(countMax: countMax)
      while try reader.nextElement() {
        let service = try form.read(&reader)
        guard !services.contains(service) else { throw reader.refusal("Name each service once.") }
        services.append(service)
      }
      return services
    }
  }
}
