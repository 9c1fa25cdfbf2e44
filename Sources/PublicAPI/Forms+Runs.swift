import Domain
import JSON

// The forms of the terms and paths of runs.

extension JSONForm<RunName> {
  /// The name of a run or of its place.
  static var runName: Self {
    .parsed(.string(lengthMax: RunName.lengthMax)) { (text) throws(NameError) in
      try RunName(text)
    }
  }
}

extension JSONForm<RunChanges.Remark<RunName>> {
  /// A changed place of a run.
  static var changedPlace: Self {
    .remark(lengthMax: RunName.lengthMax) { (text) throws(NameError) in try RunName(text) }
  }
}

extension JSONForm<RunDescription> {
  /// The description of a run.
  static var runDescription: Self {
    .parsed(.string(lengthMax: RunDescription.lengthMax)) { (text) throws(RunDescriptionError) in
      try RunDescription(text)
    }
  }
}

extension JSONForm<RunChanges.Remark<RunDescription>> {
  /// A changed description of a run.
  static var changedRunDescription: Self {
    .remark(lengthMax: RunDescription.lengthMax) { (text) throws(RunDescriptionError) in
      try RunDescription(text)
    }
  }
}

extension JSONForm<RunClauses> {
  /// The clauses of a run.
  static var runClauses: Self {
    .parsed(.string(lengthMax: RunClauses.lengthMax)) { (text) throws(RunClausesError) in
      try RunClauses(text)
    }
  }
}

extension JSONForm<RunChanges.Remark<RunClauses>> {
  /// Changed clauses of a run.
  static var changedRunClauses: Self {
    .remark(lengthMax: RunClauses.lengthMax) { (text) throws(RunClausesError) in
      try RunClauses(text)
    }
  }
}

extension JSONForm<Int64> {
  /// The maximum number of runners of a run; the terms of the run refuse numbers out of bounds.
  static var participants: Self {
    let bounds = RunTerms.participantsLeast...RunTerms.participantsMost
    return Self(.integer(Int(bounds.lowerBound)...Int(bounds.upperBound))) {
      (reader) throws(JSONError) in
      Int64(try reader.integer())
    }
  }
}

extension JSONForm<[GeoPoint]> {
  /// The points of a path, each an object with its coordinate. The reader is written by hand: a
  /// document of each point would allocate thousands of objects.
  static var path: Self {
    let coordinate = JSONSchema.Property.required(
      "coordinate", .string(lengthMax: 64), "`lat,lon`")
    let schema = JSONSchema.array(of: .object([coordinate]), countMax: RunPath.pointsMax)
    return Self(schema) { (reader) throws(JSONError) in
      var points: [GeoPoint] = []
      try reader.beginArray(countMax: RunPath.pointsMax)
      while try reader.nextElement() {
        points.append(
          try reader.object(with: "coordinate") { (reader) throws(JSONError) in
            let text = try reader.string()
            do throws(GeoPointError) { return try GeoPoint(text) } catch {
              throw reader.refusal(error.description)
            }
          })
      }
      return points
    }
  }
}
