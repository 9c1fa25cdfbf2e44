import Postgres

/// The statements of notices, for the check against the schema.
package enum NoticeStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    ReserveNoticeNumbers.self, InsertNotices.self, NewestNotices.self, NoticeSummary.self,
    ReadNotices.self, ChooseMailedKinds.self, NoticesAfter.self, NotePushed.self,
    NoticesToMail.self, AlarmsToMail.self,
  ]
}
