import HTTP

/// The page of a link that was mailed to an emergency contact. It takes the token from its own
/// address and sends it with the answer to the endpoint of the same path, as JSON; opening it
/// answers nothing, since mail programs open links by themselves.
enum ContactPage {
  /// The page for a link that was not used yet, of a contact in this state.
  static func response(from name: String, _ state: ContactState) -> Response {
    let name = HTMLText.escaped(name)
    let hasAgreed = state == .agreed
    return AccountPage(
      status: .ok,
      italian: AccountPage.Words(
        title: "Contatto di emergenza",
        text: hasAgreed
          ? "Sei un contatto di emergenza di \(name). Se non vuoi più esserlo, rifiuta."
          : "\(name) ti ha indicato come contatto di emergenza. Se accetti, in caso di emergenza "
            + "ti avvisiamo con data, ora e posizione. Se rifiuti, non ti scriviamo altro."),
      english: AccountPage.Words(
        title: "Emergency contact",
        text: hasAgreed
          ? "You are an emergency contact of \(name). To end that, decline."
          : "\(name) has named you as an emergency contact. If you agree, we tell you of an "
            + "emergency with date, time and position. If you decline, we write nothing more."),
      content: form, script: script
    ).response
  }

  /// The page for a link that is unknown or was used.
  static var deadLink: Response {
    AccountPage(
      status: .unauthorized,
      italian: AccountPage.Words(
        title: "Link non valido",
        text: "Il link è già stato usato, o non è copiato per intero."),
      english: AccountPage.Words(
        title: "This link is not valid", text: "It was used before, or is not copied as a whole.")
    ).response
  }

  private static let form = """
    <form>
    <button name="agree" value="true">Accetto / <span lang="en">I agree</span></button>
    <button name="agree" value="false">Rifiuto / <span lang="en">I decline</span></button>
    </form>
    <noscript><p>Questa pagina ha bisogno di JavaScript.</p>
    <p lang="en">This page needs JavaScript.</p></noscript>
    <div role="status">
    \(message("true", "Grazie: sei un contatto di emergenza.",
      "Thank you: you are an emergency contact."))
    \(message("false", "Va bene: non ti scriviamo altro.", "All right: we write nothing more."))
    \(message("401", "Il link non vale più.", "The link is no longer valid."))
    \(message("other", "Adesso non è possibile: riprova tra un minuto.",
      "It can't be done now: try again in a minute."))
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
