import Cryptography
import Domain

/// The blind indexes by which accounts are found.
package struct AccountIndexes: Sendable {
  private let emails: BlindIndex
  private let fiscalCodes: BlindIndex
  private let vatNumbers: BlindIndex
  private let companyNames: BlindIndex
  private let diseases: BlindIndex

  /// Indexes under keys that derive from `root`.
  package init(root: RootSecret) {
    emails = BlindIndex(.email, root: root)
    fiscalCodes = BlindIndex(.fiscalCode, root: root)
    vatNumbers = BlindIndex(.vatNumber, root: root)
    companyNames = BlindIndex(.companyName, root: root)
    diseases = BlindIndex(.diseaseCode, root: root)
  }

  /// The index of an email.
  package func value(of email: EmailAddress) -> BlindValue { emails.value(of: email.text) }

  /// The index of a fiscal code.
  package func value(of code: FiscalCode) -> BlindValue { fiscalCodes.value(of: code.text) }

  /// The index of a P.IVA.
  package func value(of number: VATNumber) -> BlindValue { vatNumbers.value(of: number.text) }

  /// The index of a company name, without regard to its spelling.
  package func value(of name: CompanyName) -> BlindValue { companyNames.value(of: name.normalised) }

  /// The index of a disease.
  package func value(of disease: ChronicDisease) -> BlindValue {
    diseases.value(of: disease.rawValue)
  }
}
