import HTTP
import Web

/// The page that a browser shows after the link of the mail was followed.
enum ActivationPage {
  /// The page with its status.
  static func response(_ outcome: ActivationOutcome) -> Response {
    let (italian, english) = sentences(outcome)
    return AccountPage(
      status: status(outcome),
      italian: AccountPage.Words(title: italian.title, text: italian.text),
      english: AccountPage.Words(title: english.title, text: english.text),
      content: isLoginNext(outcome) ? "<p>\(AccountPage.loginLink)</p>" : ""
    ).response
  }

  /// Whether the person can log in, or have the link sent again by the page of the login.
  private static func isLoginNext(_ outcome: ActivationOutcome) -> Bool {
    switch outcome {
    case .activated, .alreadyActivated, .wrongToken: true
    case .confirmed: false
    }
  }

  private static func status(_ outcome: ActivationOutcome) -> HTTPStatus {
    switch outcome {
    case .activated, .confirmed: .ok
    case .wrongToken: .unauthorized
    case .alreadyActivated: .forbidden
    }
  }

  private typealias Words = (title: String, text: String)

  private static func sentences(_ outcome: ActivationOutcome) -> (Words, Words) {
    switch outcome {
    case .activated:
      (
        ("Account attivato", "Ora puoi accedere con la tua email e la tua password."),
        ("Account activated", "You can now log in with your email and your password.")
      )
    case .confirmed:
      (
        (
          "Conferma ricevuta",
          "L'account sarà attivo quando arriverà anche l'altra conferma, richiesta per email."
        ),
        (
          "Confirmation received",
          "The account becomes active when the other confirmation, requested by mail, arrives."
        )
      )
    case .wrongToken:
      (
        (
          "Link non valido",
          "Il link vale 24 ore e per una sola attivazione. Controlla di averlo copiato per intero."
        ),
        (
          "This link is not valid",
          "A link is valid for 24 hours and one activation. Check that you copied all of it."
        )
      )
    case .alreadyActivated:
      (
        ("Account già attivo", "Il link è già stato usato: puoi accedere."),
        ("Already activated", "The link has already been used: you can log in.")
      )
    }
  }
}
