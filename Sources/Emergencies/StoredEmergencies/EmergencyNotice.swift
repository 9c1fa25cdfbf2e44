import Accounts
import AutomatedSOS
import Bytes
import Domain
import JSON
import ServiceKit
import Time

/// The notices of an emergency to its person, on the stream and in the list of notices (NTF-1).
enum EmergencyNotice {
  /// The notice of the present stage.
  static func standing(_ row: EmergencyRow) -> Notice {
    row.stage == .suspected
      ? suspected(row.id, row.rule, until: row.abortUntil, to: row.account) : changed(row)
  }

  /// The warning, with the end of the time to abort.
  static func suspected(
    _ id: UniversalID, _ rule: EmergencyRule, until: Instant, to account: AccountID
  ) -> Notice {
    Notice(.alarm, to: account) { writer in
      begin(id, rule, .suspected, &writer)
      writer.field("abortUntil", until.description)
    }
  }

  /// The notice of the new stage.
  static func changed(_ row: EmergencyRow) -> Notice {
    Notice(.alarm, to: row.account) { writer in
      begin(row.id, row.rule, row.stage, &writer)
      switch row.stage {
      case .asked: writer.fieldIfPresent("answerBy", row.dueAt?.description)
      case .confirmed: writer.fieldIfPresent("abortUntil", row.dueAt?.description)
      default: break
      }
      writer.fieldIfPresent("quietUntil", row.followed.quietOnceOver?.description)
      writer.fieldIfPresent("outcome", row.outcome?.apiName)
    }
  }

  /// The notice that the person's devices have sent nothing since then.
  static func silent(since time: Instant?, to account: AccountID) -> Notice {
    Notice(.alarm, to: account) { writer in
      writer.field("stage", DecodedNotice.silentStage)
      writer.fieldIfPresent("since", time?.description)
    }
  }

  private static func begin(
    _ id: UniversalID, _ rule: EmergencyRule, _ stage: EmergencyStage, _ writer: inout JSONWriter
  ) {
    writer.field("episodeID", id.description)
    writer.field("stage", stage.apiName)
    writer.field("rule", rule.apiName)
    writer.field("drill", rule == .drill)
  }
}
