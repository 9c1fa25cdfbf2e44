import Domain
import InternalAPI
import ServiceKit

/// The differences made by a change of a run, as lines for mails (RUN-2). Texts of the organiser
/// appear without links, and a description as quoted lines.
package struct RunDifferences {
  /// The lines in Italian.
  package let italian: [String]
  /// The lines in English.
  package let english: [String]

  /// The differences between the terms before and after.
  package init(from before: RunTerms, to after: RunTerms) {
    italian = Self.lines(from: before, to: after, .italian)
    english = Self.lines(from: before, to: after, .english)
  }

  private init(italian: [String], english: [String]) {
    self.italian = italian
    self.english = english
  }

  /// The line for a changed path.
  static func ofPath(to course: Course) -> RunDifferences {
    let metres = Int(course.length.rounded())
    return RunDifferences(
      italian: ["- percorso: un altro, di \(metres) m"],
      english: ["- path: another one, of \(metres) m"])
  }

  private struct Words {
    let name, description, place, start, end, enrolment, participants, none: String
    let clauses, newClauses: String

    static let italian = Words(
      name: "nome", description: "descrizione", place: "luogo", start: "inizio", end: "fine",
      enrolment: "iscrizioni fino a", participants: "partecipanti al massimo", none: "nessuno",
      clauses: "clausole", newClauses: "una nuova versione")
    static let english = Words(
      name: "name", description: "description", place: "place", start: "start", end: "end",
      enrolment: "enrolment until", participants: "participants at most", none: "none",
      clauses: "clauses",
      newClauses: "a new version")
  }

  private static func lines(
    from before: RunTerms, to after: RunTerms, _ words: Words
  ) -> [String] {
    var lines: [String] = []
    func add<Value: Equatable>(
      _ word: String, _ part: (RunTerms) -> Value, _ text: (Value) -> String
    ) {
      guard part(after) != part(before) else { return }
      let value = text(part(after))
      lines.append(value.hasPrefix("\n") ? "- \(word):\(value)" : "- \(word): \(value)")
    }
    add(words.name, { $0.name.description }) { $0.unlinked }
    add(words.description, { $0.description?.description }) { $0.map(quoted) ?? words.none }
    add(words.place, { $0.place?.description }) { $0?.unlinked ?? words.none }
    add(words.clauses, { $0.clauses }) { $0 == nil ? words.none : words.newClauses }
    add(words.start, { $0.times.startsAt }) { ReaderMail.marked($0) }
    add(words.end, { $0.times.endsAt }) { ReaderMail.marked($0) }
    add(words.enrolment, { $0.enrolUntil }) { ReaderMail.marked($0) }
    add(words.participants, { $0.participantsMax }) { $0.description }
    return lines
  }

  /// A text whose lines are each marked as quoted, so that none passes for a line of the mail.
  private static func quoted(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { "\n  > \(String($0).unlinked)" }
      .joined()
  }
}
