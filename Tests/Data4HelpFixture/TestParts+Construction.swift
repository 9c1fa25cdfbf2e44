import Accounts
import Data4Help
import Operations
import Sharing

// Components over the parts of a test.

extension AccountSweeper {
  package init(_ parts: TestParts, _ settings: AuthenticationSettings) {
    self.init(
      environment: parts.environment, database: parts.database, accountKeys: parts.accountKeys,
      settings)
  }
}

extension KeyForgetting {
  package init(_ parts: TestParts) {
    self.init(
      loop: parts.loop, environment: parts.environment, keysDatabase: parts.keysDatabase,
      accountKeys: parts.accountKeys, log: parts.log)
  }
}

extension CompanyNameIndexing {
  package init(_ parts: TestParts) {
    self.init(
      loop: parts.loop, database: parts.database, accountKeys: parts.accountKeys, root: parts.root,
      log: parts.log)
  }
}

extension RevocationWatch {
  package convenience init(_ parts: TestParts) {
    self.init(
      loop: parts.loop, database: parts.database, revocations: parts.sharing.revocations,
      fences: parts.sharing.fences, log: parts.log)
  }
}
