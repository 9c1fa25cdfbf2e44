import HTTP

/// The page that a browser shows after the link of the mail was followed.
enum ActivationPage {
  /// The page with its status.
  static func response(_ outcome: ActivationOutcome) -> Response {
    let (italian, english) = sentences(outcome)
    return AccountPage(
      status: status(outcome),
      italian: AccountPage.Words(title: italian.title, text: italian.text),
      english: AccountPage.Words(title: english.title, text: english.text)
    ).response
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
          "L'account funziona quando anche l'altra conferma, chiesta per mail, sarà arrivata."
        ),
        (
          "Confirmation received",
          "The account works once the other confirmation, asked for by mail, has come too."
        )
      )
    case .wrongToken:
      (
        (
          "Link non valido",
          "Nessun account aspetta questo link. Controlla di averlo copiato per intero; vale 24 ore."
        ),
        (
          "This link is not valid",
          "No account waits for it. Check that you copied all of it; it is good for 24 hours."
        )
      )
    case .alreadyActivated:
      (
        ("Account già attivo", "Il link è stato usato prima: puoi accedere."),
        ("Already activated", "The link was used before: you can log in.")
      )
    }
  }
}
