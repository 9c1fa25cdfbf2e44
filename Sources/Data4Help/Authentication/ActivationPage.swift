import HTTP
import Privacy

/// What a browser shows after the link of the mail was followed: a page without anything from
/// outside itself, in Italian and English.
enum ActivationPage {
  /// The page with its status; nothing keeps it, frames it, or learns the address it came from.
  static func response(_ outcome: ActivationOutcome) -> Response {
    var response = Response(
      status(outcome), contentType: "text/html; charset=utf-8", bytes: Array(html(outcome).utf8))
    response.fields.append(
      .contentSecurityPolicy,
      "default-src 'none'; style-src '\(styleHash)'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'")
    response.fields.append(.cacheControl, "no-store")
    response.fields.append(.referrerPolicy, "no-referrer")
    response.fields.append(.xContentTypeOptions, "nosniff")
    if outcome == .wrongToken { response.fields.append(.wwwAuthenticate, "Bearer") }
    return response
  }

  private static func status(_ outcome: ActivationOutcome) -> HTTPStatus {
    switch outcome {
    case .activated, .confirmed: .ok
    case .wrongToken: .unauthorized
    case .alreadyActivated: .forbidden
    }
  }

  private static func html(_ outcome: ActivationOutcome) -> String {
    let (italian, english) = sentences(outcome)
    return """
      <!DOCTYPE html>
      <html lang="it">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>TrackMe - \(italian.title)</title>
      <style>\(style)</style>
      </head>
      <body>
      <main>
      <section lang="it"><h1>\(italian.title)</h1><p>\(italian.text)</p></section>
      <section lang="en"><h2>\(english.title)</h2><p>\(english.text)</p></section>
      </main>
      </body>
      </html>

      """
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

  private static let style = """
    body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;padding:2rem;color:#1a1a1a;\
    background:#fff}main{max-width:34rem;margin:0 auto}h1,h2{font-size:1.5rem;line-height:1.2}\
    @media(prefers-color-scheme:dark){body{color:#f0f0f0;background:#161616}}
    """

  /// The one style that the page may have, by its SHA-256 (Content Security Policy Level 3, 6.7.3).
  private static let styleHash: String = {
    var text: [UInt8] = []
    Base64.standard.append(SHA256.digest(of: Array(style.utf8).span).bytes.span, to: &text)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return "sha256-" + String(decoding: text, as: UTF8.self)
  }()
}

/// Which of two media types a client would rather have.
enum MediaPreference {
  /// Whether an `Accept` (RFC 9110, 12.5.1) prefers `text/html` to `application/json`; what is
  /// equal, as `*/*`, gets JSON.
  static func prefersHTML(_ accept: String) -> Bool {
    quality(of: "text/html", in: accept) > quality(of: "application/json", in: accept)
  }

  /// The quality, in thousandths, of the most specific range that covers a type.
  private static func quality(of type: String, in accept: String) -> Int {
    let general = type.prefix { $0 != "/" } + "/*"
    var best = (precedence: 0, quality: 0)
    for element in accept.lowercased().split(separator: ",") {
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let range = parts.first else { continue }
      let precedence =
        range == type ? 3 : range == String(general) ? 2 : range == "*/*" ? 1 : 0
      guard precedence > best.precedence else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      best = (precedence, weight.map { thousandths($0.dropFirst(2)) } ?? 1000)
    }
    return best.quality
  }

  /// `0.5` as 500; what is no weight counts as 0.
  private static func thousandths(_ text: Substring) -> Int {
    let digits = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = Int(digits[0]), (0...1).contains(whole), digits.count <= 2 else { return 0 }
    let fraction = digits.count == 2 ? digits[1].prefix(3) : ""
    let padded = fraction + String(repeating: "0", count: 3 - fraction.count)
    return min(1000, whole * 1000 + (Int(padded) ?? 0))
  }
}
