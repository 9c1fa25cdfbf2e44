import HTTP
import Web

/// The page behind the link of a lost password, on which a new one is entered (ACC-6).
///
/// The page reads the token from its own address and sends it with the password as JSON to the
/// endpoint of the same path. The page itself does not contain the token, and opening it does not
/// use up the link.
enum PasswordResetPage {
  /// The page for a valid or an invalid token.
  static func response(isGood: Bool) -> Response {
    guard isGood else {
      return AccountPage(
        status: .unauthorized,
        italian: AccountPage.Words(
          title: "Link non valido",
          text:
            "Il link è già stato usato, è scaduto (vale un'ora) o non è stato copiato per intero. "
            + "Richiedi di nuovo una password."),
        english: AccountPage.Words(
          title: "This link is not valid",
          text:
            "It has already been used, has expired (after an hour), or was not copied completely. "
            + "Request a new password again."),
        content: "<p>\(requestLink)</p>"
      ).response
    }
    return AccountPage(
      status: .ok,
      italian: AccountPage.Words(
        title: "Nuova password",
        text: "Scegli una password da 8 a 128 caratteri. Il link vale una volta sola."),
      english: AccountPage.Words(
        title: "New password",
        text: "Choose a password of 8 to 128 characters. The link works only once."),
      content: form, script: script
    ).response
  }

  private static let form = """
    <form>
    <label for="password">Nuova password / <span lang="en">New password</span></label>
    <input id="password" type="password" autocomplete="new-password" minlength="8" \
    maxlength="128" required>
    <label for="again">Ripeti la password / <span lang="en">Repeat the password</span></label>
    <input id="again" type="password" autocomplete="new-password" required>
    <button>Cambia la password / <span lang="en">Change the password</span></button>
    </form>
    <noscript><p>Questa pagina ha bisogno di JavaScript.</p>
    <p lang="en">This page needs JavaScript.</p></noscript>
    <div role="status">
    \(message("200", "La password è cambiata: ora puoi accedere.",
      "The password is changed: you can now log in.", AccountPage.loginLink))
    \(message("400",
      "Questa password non è accettata: è troppo corta, troppo lunga o troppo comune.",
      "This password is not accepted: it is too short, too long or too common."))
    \(message("401", "Il link non è più valido: richiedi di nuovo una password.",
      "The link is no longer valid: request a new password again.", requestLink))
    \(message("differs", "Le due password non coincidono.", "The two passwords do not match."))
    \(message("other", "Al momento non è possibile: riprova tra un minuto.",
      "This is not possible at the moment: try again in a minute."))
    </div>
    """

  private static let requestLink = AccountPage.link(
    to: "/app/password", "Nuova password", "New password")

  private static func message(
    _ name: String, _ italian: String, _ english: String, _ link: String = ""
  ) -> String {
    "<p id=\"said-\(name)\" hidden>\(italian)<br><span lang=\"en\">\(english)</span>"
      + "\(link.isEmpty ? "" : "<br>\(link)")</p>"
  }

  private static let script = """
    const form=document.forms[0],button=form.querySelector("button");\
    const field=name=>document.getElementById(name);\
    function say(name){\
    for(const one of document.querySelectorAll("[id^=said-]"))one.hidden=true;\
    (field("said-"+name)||field("said-other")).hidden=false}\
    form.addEventListener("submit",async event=>{\
    event.preventDefault();\
    if(field("password").value!==field("again").value)return say("differs");\
    button.disabled=true;\
    try{\
    const answer=await fetch(location.pathname,{method:"POST",\
    headers:{"content-type":"application/json"},\
    body:JSON.stringify({token:new URLSearchParams(location.search).get("token"),\
    newPassword:field("password").value})});\
    say(String(answer.status));\
    if(answer.ok)form.hidden=true\
    }catch{say("other")}\
    button.disabled=false});
    """
}
