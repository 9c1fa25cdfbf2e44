import Domain

/// What a change of a run made different, in lines for people (RUN-2).
struct RunDifferences {
  private let before: RunTerms
  private let after: RunTerms

  /// The differences between what was laid down before and after.
  init(from before: RunTerms, to after: RunTerms) {
    self.before = before
    self.after = after
  }

  /// The lines in Italian.
  var italian: [String] {
    lines(
      Words(
        name: "nome", description: "descrizione", place: "luogo", start: "inizio", end: "fine",
        enrolment: "iscrizioni fino a", participants: "partecipanti al massimo", none: "nessuno"))
  }

  /// The lines in English.
  var english: [String] {
    lines(
      Words(
        name: "name", description: "description", place: "place", start: "start", end: "end",
        enrolment: "enrolment until", participants: "participants at most", none: "none"))
  }

  private struct Words {
    let name, description, place, start, end, enrolment, participants, none: String
  }

  private func lines(_ words: Words) -> [String] {
    var lines: [String] = []
    func add<Value: Equatable>(
      _ word: String, _ part: (RunTerms) -> Value, _ text: (Value) -> String
    ) {
      if part(after) != part(before) { lines.append("- \(word): \(text(part(after)))") }
    }
    add(words.name, { $0.name.description }) { $0 }
    add(words.description, { $0.description?.description }) { $0 ?? words.none }
    add(words.place, { $0.place?.description }) { $0 ?? words.none }
    add(words.start, { $0.times.startsAt }) { $0.description }
    add(words.end, { $0.times.endsAt }) { $0.description }
    add(words.enrolment, { $0.enrolUntil }) { $0.description }
    add(words.participants, { $0.participantsMax }) { $0.description }
    return lines
  }
}
