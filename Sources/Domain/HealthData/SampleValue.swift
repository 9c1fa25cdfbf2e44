/// The value of one sample, checked for plausibility when it was parsed.
package enum SampleValue: Hashable, Sendable, Redacted {
  /// A finite number in the unit of the type.
  case number(Double)
  /// A coordinate.
  case position(GeoPoint)
  /// The index of a name in the type's list of codes.
  case code(UInt8)

  /// Parses a value: an upload may contain it as a string or as a number, with the same meaning.
  ///
  /// Numbers have the syntax of JSON. Throws `notANumber`, `outOfRange` for an implausible number,
  /// `notACoordinate`, `unknownCode`.
  package init(utf8: Span<UInt8>, of type: DataType) throws(SampleValueError) {
    switch type.valueKind {
    case .number(let range):
      guard let number = Double(decimal: utf8) else { throw .notANumber(type) }
      guard range.contains(number) else { throw .outOfRange(type) }
      self = .number(number)
    case .position:
      do throws(GeoPointError) {
        self = .position(try GeoPoint(utf8: utf8))
      } catch {
        throw .notACoordinate(error)
      }
    case .code(let names):
      for (index, name) in names.enumerated() where utf8.equals(name) {
        self = .code(UInt8(index))
        return
      }
      throw .unknownCode(type)
    }
  }

  /// Parses a value, with the errors of `init(utf8:of:)`.
  package init(_ text: String, of type: DataType) throws(SampleValueError) {
    try self.init(utf8: text.utf8Span.span, of: type)
  }

  /// Checks a value given as a number, with the errors of `init(utf8:of:)`.
  package init(_ number: Double, of type: DataType) throws(SampleValueError) {
    switch type.valueKind {
    case .number(let range):
      guard number.isFinite else { throw .notANumber(type) }
      guard range.contains(number) else { throw .outOfRange(type) }
      self = .number(number == 0 ? 0 : number)
    case .position: throw .notACoordinate(.malformed)
    case .code(let names):
      guard number == 1, let index = names.firstIndex(of: "1") else { throw .unknownCode(type) }
      self = .code(UInt8(index))
    }
  }

  /// The number, nil for positions and codes.
  package var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The value as shown to clients: a number without trailing zeros, `lat,lon`, or a code's name.
  package func text(of type: DataType) -> String {
    var bytes: [UInt8] = []
    append(to: &bytes, of: type)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the value as shown to clients to `bytes`.
  package func append(to bytes: inout [UInt8], of type: DataType) {
    switch self {
    case .number(let number):
      if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
        bytes.append(contentsOf: whole.description.utf8)
      } else {
        bytes.append(contentsOf: number.description.utf8)
      }
    case .position(let point): point.append(to: &bytes)
    case .code(let index):
      if case .code(let names) = type.valueKind, Int(index) < names.count {
        bytes.append(contentsOf: names[Int(index)].utf8)
      }
    }
  }
}

/// The reason why a text is not a valid value of a data type. Never contains the text.
package enum SampleValueError: DomainError {
  /// The type requires a finite number.
  case notANumber(DataType)
  /// The number is not plausible for the type.
  case outOfRange(DataType)
  /// The type requires a coordinate; the associated error is its cause.
  case notACoordinate(GeoPointError)
  /// The type has no such code.
  case unknownCode(DataType)

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .notANumber(let type): "A value of \(type.name) is a number."
    case .outOfRange(let type):
      switch type.valueKind {
      case .number(let range):
        """
        A plausible value of \(type.name) lies between \(Self.plain(range.lowerBound)) and \
        \(Self.plain(range.upperBound)) \(type.unit).
        """
      case .position, .code: "The value of \(type.name) is out of range."
      }
    case .notACoordinate(let error): error.description
    case .unknownCode(let type):
      if case .code(let names) = type.valueKind {
        "A value of \(type.name) is one of: \(names.joined(separator: ", "))."
      } else {
        "A value of \(type.name) has no name."
      }
    }
  }

  private static func plain(_ bound: Double) -> String {
    Int64(exactly: bound).map { $0.description } ?? bound.description
  }
}
