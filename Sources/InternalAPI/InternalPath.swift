/// The paths that Data4Help serves to Track4Run, over internal HTTP alone: every call carries the
/// internal secret, and the gateway, whose table has none of these paths, forwards none of them.
///
/// Bodies are JSON. Every call with an effect can be repeated: requests have identifiers that their
/// sender makes, ends ignore requests that are over, notices and mails carry an `Idempotency-Key`.
package enum InternalPath {
  /// `POST` of a `CheckInBatch`; answers `CheckInOutcomes`.
  package static let requests = "/internal/requests"
  /// `POST` of a `CheckInEnds`.
  package static let ends = "/internal/requests/end"
  /// `GET` with `since`, and `upTo` for the last number; answers an `InternalEventPage`.
  package static let events = "/internal/events"
  /// `GET` with `since` or `Last-Event-ID`: the same events as a stream of server-sent events.
  package static let stream = "/internal/stream"
  /// `POST` of a `PeopleQuestion`; answers `KnownPeople`.
  package static let people = "/internal/people"
  /// `POST` of a `PersonQuestion`; answers `FoundPerson`.
  package static let find = "/internal/find"
  /// `POST` of a `NameQuestion`; answers `PeopleOfName`.
  package static let names = "/internal/names"
  /// `POST` of a `CompanyQuestion`; answers `KnownPeople`.
  package static let companies = "/internal/companies"
  /// `POST` of a `RunnerQuestion`; answers `RunnerWarnings`.
  package static let warnings = "/internal/warnings"
  /// `POST` of a `RunnersQuestion`; answers `KnownRunners`.
  package static let runners = "/internal/runners"
  /// `POST` of a `RunDownload`; answers `GrantedCheckIns`.
  package static let downloads = "/internal/downloads"
  /// `POST` of a `NoticeOrder`.
  package static let notices = "/internal/notices"
  /// `POST` of a `MailOrder`.
  package static let mails = "/internal/mails"

  /// All of them.
  package static let all = [
    requests, ends, events, stream, people, find, names, companies, warnings, runners,
    downloads, notices, mails,
  ]
}
