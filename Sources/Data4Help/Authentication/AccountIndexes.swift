import Domain
import Privacy

/// The blind indexes by which accounts are found.
struct AccountIndexes: Sendable {
  private let emails: BlindIndex
  private let fiscalCodes: BlindIndex
  private let vatNumbers: BlindIndex
  private let companyNames: BlindIndex
  private let diseases: BlindIndex

  init(root: RootSecret) {
    emails = BlindIndex(.email, root: root)
    fiscalCodes = BlindIndex(.fiscalCode, root: root)
    vatNumbers = BlindIndex(.vatNumber, root: root)
    companyNames = BlindIndex(.companyName, root: root)
    diseases = BlindIndex(.diseaseCode, root: root)
  }

  func value(of email: EmailAddress) -> BlindValue { emails.value(of: email.text) }

  func value(of code: FiscalCode) -> BlindValue { fiscalCodes.value(of: code.text) }

  func value(of number: VATNumber) -> BlindValue { vatNumbers.value(of: number.text) }

  func value(of name: CompanyName) -> BlindValue { companyNames.value(of: name.normalised) }

  func value(of disease: ChronicDisease) -> BlindValue { diseases.value(of: disease.rawValue) }
}
