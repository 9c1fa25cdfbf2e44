import Postgres

/// Statements of the public view of runs, listed for the schema check.
enum PublicRunStatements {
  static let all: [any Statement.Type] = [
    PublicRunByCode.self, StorePicture.self, PictureDigest.self, PictureOfRun.self,
    PublicPathDigest.self, PublicResults.self, PublicResultOfRunner.self,
  ]
}
