import Postgres

/// The statements of what everybody sees of a run, for the check against the schema.
enum PublicRunStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    PublicRunByCode.self, StorePicture.self, PictureDigest.self, PictureOfRun.self,
    PublicPathDigest.self, PublicResults.self, PublicResultOfRunner.self,
  ]
}
