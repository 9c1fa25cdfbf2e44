import Accounts
import HTTP
import Web

/// The page of a link that was mailed to an emergency contact. Its script posts the token from the
/// address and the answer as JSON to the same path. Opening the page stores no answer, since mail
/// programs open links by themselves.
enum ContactPage {
  /// The page for a link that has not been used yet.
  static func response(of offer: ContactOffer) -> Response {
    let words = words(of: offer)
    return AccountPage(
      status: .ok,
      italian: AccountPage.Words(title: "Contatto di emergenza", text: words.italian),
      english: AccountPage.Words(title: "Emergency contact", text: words.english),
      content: form(agrees: offer.mayAgree), script: script
    ).response
  }

  private static func words(of offer: ContactOffer) -> (italian: String, english: String) {
    guard let name = offer.name.map(HTMLText.escaped) else {
      return (
        "Al momento non devi rispondere: la persona ti ha tolto dai contatti, o non usa "
          + "AutomatedSOS. Se rifiuti, non ti scriveremo più per conto di questa persona.",
        "There is nothing to answer now: the person removed you from the contacts, or does not "
          + "use AutomatedSOS. If you decline, we will not write to you again on behalf of this "
          + "person."
      )
    }
    if offer.state == .agreed {
      return (
        "Sei un contatto di emergenza di \(name). Se non vuoi più esserlo, rifiuta.",
        "You are an emergency contact of \(name). If you no longer want this, decline."
      )
    }
    guard offer.mayAgree else {
      return (
        "Con questo link puoi solo rifiutare di essere un contatto di emergenza di \(name). Per "
          + "accettare apri quello della mail più recente: il numero di telefono è cambiato.",
        "With this link you can only decline to be an emergency contact of \(name). To agree, "
          + "open the link of the newest mail: the telephone number has changed."
      )
    }
    return (
      "\(name) ti ha indicato come contatto di emergenza. Se accetti, in caso di emergenza "
        + "ti avvisiamo con data, ora e posizione. Se rifiuti, non ti scriveremo più.",
      "\(name) has named you as an emergency contact. If you agree, we notify you of an "
        + "emergency with date, time and position. If you decline, we will not write again."
    )
  }

  /// The page for a link that is unknown or was used.
  static var deadLink: Response {
    AccountPage(
      status: .unauthorized,
      italian: AccountPage.Words(
        title: "Link non valido",
        text: "Il link è già stato usato, o non è stato copiato per intero."),
      english: AccountPage.Words(
        title: "This link is not valid",
        text: "It has already been used, or was not copied completely.")
    ).response
  }

  private static func form(agrees: Bool) -> String {
    (agrees ? "<form>\n\(agreeButton)\n" : "<form>\n") + restOfForm
  }

  private static let agreeButton =
    "<button name=\"agree\" value=\"true\">Accetto / <span lang=\"en\">I agree</span></button>"

  private static let restOfForm = """
    <button name="agree" value="false">Rifiuto / <span lang="en">I decline</span></button>
    </form>
    <noscript><p>Questa pagina ha bisogno di JavaScript.</p>
    <p lang="en">This page needs JavaScript.</p></noscript>
    <div role="status">
    \(message("true", "Grazie: sei un contatto di emergenza.",
      "Thank you: you are an emergency contact."))
    \(message("false", "Va bene: non ti scriveremo più.", "All right: we will not write again."))
    \(message("401", "Il link non è più valido.", "The link is no longer valid."))
    \(message("409", "Con questo link puoi solo rifiutare.",
      "With this link you can only decline."))
    \(message("other", "Al momento non è possibile: riprova tra un minuto.",
      "This is not possible at the moment: try again in a minute."))
    </div>
    """

  private static func message(_ name: String, _ italian: String, _ english: String) -> String {
    "<p id=\"said-\(name)\" hidden>\(italian)<br><span lang=\"en\">\(english)</span></p>"
  }

  private static let script = """
    const form=document.forms[0];\
    const field=name=>document.getElementById("said-"+name);\
    function say(name){\
    for(const one of document.querySelectorAll("[id^=said-]"))one.hidden=true;\
    (field(name)||field("other")).hidden=false}\
    form.addEventListener("submit",async event=>{\
    event.preventDefault();\
    const agree=event.submitter.value;\
    for(const one of form.elements)one.disabled=true;\
    try{\
    const answer=await fetch(location.pathname,{method:"POST",\
    headers:{"content-type":"application/json"},\
    body:JSON.stringify({token:new URLSearchParams(location.search).get("token"),\
    agree:agree==="true"})});\
    say(answer.ok?agree:String(answer.status));\
    if(answer.ok)form.hidden=true\
    }catch{say("other")}\
    for(const one of form.elements)one.disabled=false});
    """
}
