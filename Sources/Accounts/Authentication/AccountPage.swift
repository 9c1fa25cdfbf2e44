import HTTP
import ServiceKit
import Web

/// A page behind a link in a mail: self-contained, in Italian and English, without external
/// resources.
package struct AccountPage {
  /// A heading and a sentence in one language.
  package struct Words {
    let title: String
    let text: String

    /// A heading and a sentence.
    package init(title: String, text: String) {
      self.title = title
      self.text = text
    }
  }

  let status: HTTPStatus
  let italian: Words
  let english: Words
  /// HTML below the words, never written by a caller; empty for none.
  var content = ""
  /// The page's JavaScript, never written by a caller; nil for none.
  var script: String?

  /// A page with this status, in both languages.
  package init(
    status: HTTPStatus, italian: Words, english: Words, content: String = "", script: String? = nil
  ) {
    self.status = status
    self.italian = italian
    self.english = english
    self.content = content
    self.script = script
  }

  /// The page as a response. It is not stored or framed and sends no referrer; only its own style
  /// and script run (Content Security Policy Level 3).
  package var response: Response {
    var response = Response(
      status, contentType: "text/html; charset=utf-8", bytes: Array(html.utf8))
    response.fields.append(.contentSecurityPolicy, policy)
    response.fields.append(.cacheControl, "no-store")
    response.fields.append(.referrerPolicy, "no-referrer")
    response.fields.append(.xContentTypeOptions, "nosniff")
    if status == .unauthorized { response.fields.append(.wwwAuthenticate, "Bearer") }
    return response
  }

  /// A link to a page of TrackMe, for `content`.
  static func link(to path: String, _ italian: String, _ english: String) -> String {
    "<a href=\"\(path)\">\(italian) / <span lang=\"en\">\(english)</span></a>"
  }

  /// The link to the login.
  static let loginLink = link(to: "/app/login", "Accedi", "Log in")

  private var policy: String {
    let running =
      script.map { "script-src \(InlineSource.text(of: $0)); connect-src 'self'; " } ?? ""
    return "default-src 'none'; style-src \(InlineSource.text(of: Self.style)); \(running)"
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }

  private var html: String {
    """
    <!DOCTYPE html>
    <html lang="it">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>TrackMe - \(italian.title)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>
    <section lang="it"><h1>\(italian.title)</h1><p>\(italian.text)</p></section>
    <section lang="en"><h2>\(english.title)</h2><p>\(english.text)</p></section>
    \(content)
    </main>
    \(script.map { "<script>\($0)</script>" } ?? "")
    </body>
    </html>

    """
  }

  private static let style = """
    body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;padding:2rem;color:#1a1a1a;\
    background:#fff}main{max-width:34rem;margin:0 auto}h1,h2{font-size:1.5rem;line-height:1.2}\
    a{color:inherit}\
    label{display:block;margin:1rem 0 .25rem}input,button{font:inherit;padding:.5rem;\
    box-sizing:border-box}input{width:100%}button{margin-top:1rem}\
    @media(prefers-color-scheme:dark){body{color:#f0f0f0;background:#161616}}
    """
}
