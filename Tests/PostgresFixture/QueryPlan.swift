import Postgres

extension TestDatabase {
  /// The output of `EXPLAIN` for a statement, with these values as its parameters.
  package func plan<S: Statement>(of statement: S.Type, _ values: [String]) throws -> String {
    var text = S.sql.text
    for (index, value) in values.enumerated().reversed() {
      text = text.replacing("$\(index + 1)", with: "'\(value)'")
    }
    let session = try session()
    try session.run(
      """
      CREATE FUNCTION pg_temp.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
        DECLARE line text;
        BEGIN
          FOR line IN EXECUTE 'EXPLAIN ' || query LOOP RETURN NEXT line; END LOOP;
        END $$
      """)
    return try session.rows("SELECT pg_temp.plan($1)", [text])
      .compactMap { $0.first ?? nil }.joined(separator: "\n")
  }
}
