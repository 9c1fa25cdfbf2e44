/// A type of the server, in which parameters are sent and against which columns are checked.
///
/// The numbers are those of `pg_type.dat`, which never change between versions. A type without an
/// array type (that is, an array) has 0 there, which the statement check rejects.
package struct PostgresType: Sendable, Hashable, CustomStringConvertible {
  /// The object identifier of the type in `pg_type`.
  package let oid: UInt32
  /// The object identifier of the array of this type, 0 if there is none.
  package let arrayOID: UInt32
  /// The name in SQL.
  package let name: String

  /// The types in use, with the numbers of the server's catalogue (pg_type.dat).
  package static let bool = PostgresType(oid: 16, arrayOID: 1000, name: "bool")
  package static let bytea = PostgresType(oid: 17, arrayOID: 1001, name: "bytea")
  package static let int8 = PostgresType(oid: 20, arrayOID: 1016, name: "int8")
  package static let int2 = PostgresType(oid: 21, arrayOID: 1005, name: "int2")
  package static let int4 = PostgresType(oid: 23, arrayOID: 1007, name: "int4")
  package static let text = PostgresType(oid: 25, arrayOID: 1009, name: "text")
  package static let xid = PostgresType(oid: 28, arrayOID: 1011, name: "xid")
  package static let float4 = PostgresType(oid: 700, arrayOID: 1021, name: "float4")
  package static let float8 = PostgresType(oid: 701, arrayOID: 1022, name: "float8")
  package static let date = PostgresType(oid: 1082, arrayOID: 1182, name: "date")
  package static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185, name: "timestamptz")
  package static let uuid = PostgresType(oid: 2950, arrayOID: 2951, name: "uuid")

  /// The type of an array of this type.
  package var array: PostgresType {
    PostgresType(oid: arrayOID, arrayOID: 0, name: name + "[]")
  }

  /// The name of the type.
  package var description: String { name }
}
