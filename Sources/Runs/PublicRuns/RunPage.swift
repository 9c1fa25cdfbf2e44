import Domain
import HTTP
import ServiceKit
import Time
import Web

/// The public page of a run, in Italian and English: self-contained, without scripts and without
/// external resources.
///
/// Texts written by people are escaped, and names are in `bdi`: a right-to-left name does not
/// change the direction of the text around it. The page shows place, chosen name and time of
/// runners, and no health data.
package struct RunPage {
  /// A row of the results.
  package struct Result {
    let number: Int32
    let place: Int32
    /// The name chosen for the run, if any.
    let name: String?
    /// Whether the result is that of a deleted runner.
    let isAnonymous: Bool
    /// The time of a runner who finished, else the distance covered.
    let outcome: String
  }

  let run: PublicRun
  private let results: [Result]
  /// The result named by the link.
  private let shared: Result?
  private let links: PublicLinks
  /// The standings for spectators: live ones, or the last ones of an ended run.
  package var live: Live?
  let zone: TimeZoneRules
  let now: Instant

  /// Creates the page of a run at a time, with times in the zone.
  package init(
    run: PublicRun, results: [Result], shared: Result? = nil, links: PublicLinks,
    zone: TimeZoneRules, now: Instant
  ) {
    self.run = run
    self.results = results
    self.shared = shared
    self.links = links
    self.zone = zone
    self.now = now
  }

  /// The page, or 304 if the client has the current version.
  func response(to request: Request) -> Response {
    let bytes = Array(html.utf8)
    let tag = EntityTag(of: bytes)
    if tag.isNamed(in: request.head.fields) { return .notModified(tag) }
    var response = Self.response(.ok, bytes)
    response.markKept(tag)
    return response
  }

  /// The page for an unknown code.
  static var unknown: Response {
    let body = """
      <section><h1>Corsa non trovata</h1><p>Nessuna corsa ha questo codice, oppure è stata \
      annullata.</p></section>
      <section lang="en"><h2>No such run</h2><p>No run has this code, or it was cancelled.</p>\
      </section>
      """
    let html = document(title: "Corsa non trovata", more: "", body: body)
    var response = response(.notFound, Array(html.utf8))
    response.fields.append(.cacheControl, "no-store")
    return response
  }

  private static func response(_ status: HTTPStatus, _ bytes: [UInt8]) -> Response {
    var response = Response(status, contentType: "text/html; charset=utf-8", bytes: bytes)
    response.fields.append(
      .contentSecurityPolicy,
      "default-src 'none'; img-src 'self'; style-src \(InlineSource.text(of: style)); "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    response.fields.append(.referrerPolicy, "no-referrer")
    return response
  }

  // MARK: HTML

  private static func document(title: String, more: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="it" prefix="og: https://ogp.me/ns#">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(HTMLText.escaped(title)) - TrackMe</title>
    \(more)<style>\(style)</style>
    </head>
    <body>
    <header><a href="/app/runs">TrackMe <span>Track4Run</span></a></header>
    <main>
    \(body)
    </main>
    </body>
    </html>

    """
  }

  /// The document.
  package var html: String {
    let again = live.map(\.refresh) ?? ""
    return Self.document(
      title: run.name, more: again + preview,
      body: content + invitation + standings + resultTable + code)
  }

  /// The tags for previews of the link (The Open Graph protocol, ogp.me).
  private var preview: String {
    let place = run.place.map { " · \($0)" } ?? ""
    let title = shared.map { "\($0.title) · \(run.name)" } ?? run.name
    let url = shared.map { links.result(run.code, of: $0.number) } ?? links.run(run.code)
    let properties = [
      ("og:type", "website"), ("og:site_name", "TrackMe"), ("og:title", title),
      ("og:description", "\(clock(run.startsAt)) · \(run.organiser)\(place)"),
      ("og:url", url), ("og:image", links.preview(run.code)),
      ("og:image:type", "image/png"), ("og:image:width", "\(CoursePreview.width)"),
      ("og:image:height", "\(CoursePreview.height)"), ("og:image:alt", "Percorso / Course"),
    ]
    let lines = properties.map { name, value in
      "<meta property=\"\(name)\" content=\"\(HTMLText.escaped(value))\">\n"
    }
    return lines.joined() + "<meta name=\"twitter:card\" content=\"summary_large_image\">\n"
  }

  private var content: String {
    let name = HTMLText.escaped(run.name)
    let description =
      run.description.map {
        "<p class=\"text\" dir=\"auto\">\(HTMLText.escaped($0))</p>\n"
      } ?? ""
    // URLs of pictures are relative, so they work below any public address.
    let picture =
      run.hasPicture ? "<img src=\"../t4r/run/\(run.code)/picture\" alt=\"\">\n" : ""
    return """
      <h1><bdi>\(name)</bdi></h1>
      <p class="state">\(state)</p>
      <img src="\(run.code)/preview.png" alt="Percorso / Course" width="\(CoursePreview.width)" \
      height="\(CoursePreview.height)">
      <dl>
      \(facts)</dl>
      \(description)\(picture)
      """
  }

  private var facts: String {
    var facts = [
      ("Organizzata da", "Organised by", "<bdi>\(HTMLText.escaped(run.organiser))</bdi>"),
      ("Partenza", "Start", time(run.startsAt)), ("Fine", "End", time(run.endsAt)),
      ("Iscrizioni fino a", "Enrolment until", time(run.enrolUntil)),
      ("Lunghezza", "Length", Self.kilometres(run.lengthMetres)),
      ("Iscritti", "Enrolled", "\(run.enrolled) / \(run.participantsMax)"),
    ]
    if let place = run.place {
      facts.insert(("Luogo", "Place", "<bdi>\(HTMLText.escaped(place))</bdi>"), at: 1)
    }
    return facts.map { italian, english, value in
      "<dt>\(Self.both(italian, english))</dt><dd>\(value)</dd>\n"
    }.joined()
  }

  /// Whether the run is over.
  var isEnded: Bool { run.state(at: now) == .ended }

  private var standings: String { live?.html(isEnded: isEnded) ?? "" }

  private var state: String {
    switch run.state(at: now) {
    case .live: Self.both("In corso", "On now")
    case .ended: Self.both("Terminata", "Over")
    case .open where now >= run.enrolUntil: Self.both("Iscrizioni chiuse", "Enrolment is closed")
    case .open where run.enrolled >= run.participantsMax: Self.both("Al completo", "Full")
    case .open: Self.both("Iscrizioni aperte", "Enrolment is open")
    }
  }

  private var resultTable: String {
    guard !results.isEmpty else { return "" }
    // The shared result may be below the listed ones.
    let isListed = shared.map { one in results.contains { $0.number == one.number } } ?? true
    let rows = (isListed ? results : results + [shared].compactMap(\.self)).map { result in
      "<tr id=\"n\(result.number)\"><td>\(result.place)</td><td>\(name(of: result))</td>"
        + "<td>\(result.outcome)</td></tr>\n"
    }
    return """
      <h2>\(Self.both("Risultati", "Results"))</h2>
      <table>
      \(rows.joined())</table>

      """
  }

  private func name(of result: Result) -> String {
    if result.isAnonymous { return Self.both("Corridore eliminato", "Deleted runner") }
    return result.name.map { "<bdi>\(HTMLText.escaped($0))</bdi>" } ?? "#\(result.number)"
  }

  private var code: String {
    """
    <p class="code"><img src="../t4r/run/\(run.code)/qr.svg" alt="" width="200" height="200"><br>\
    \(run.code)</p>
    """
  }
}

extension RunPage.Result {
  /// Creates a result with its opened name, for a run that began at `startedAt`.
  package init(_ row: PublicResult, name: String?, startedAt: Instant) {
    number = row.number
    place = row.place
    self.name = row.isAnonymous ? nil : name
    isAnonymous = row.isAnonymous
    outcome =
      row.finishedAt.map {
        let milliseconds = $0.millisecondsSince1970 - startedAt.millisecondsSince1970
        return RunPage.duration(milliseconds / 1000)
      } ?? RunPage.kilometres(row.metres)
  }

  /// The text for a preview of its link: place, name and time or distance.
  fileprivate var title: String {
    let shown = isAnonymous ? RunnerName.ofDeletedRunners : name ?? "#\(number)"
    return "\(place). \(shown) · \(outcome)"
  }
}
