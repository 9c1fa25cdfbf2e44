// The common domain library: what TrackMe's words mean and which rules hold between them, as types
// that cannot be wrong once they exist (fiscal code, P.IVA, email, timestamp, calendar day, data
// type, sample, position, single request) and as pure functions over them (statistics, days of a
// time zone, packing of samples, life of a request). It imports nothing: no clock, no chance, no
// HTTP, SQL or log. Time is an argument, input arrives as spans of UTF-8, errors are small values
// that say a whole sentence and never repeat what was typed.

/// A rule of the domain that some input or wish broke.
///
/// The description is one whole sentence for a person, and never holds the offending value: it may
/// go into a problem's `detail` and into a log.
package protocol DomainError: Error, CustomStringConvertible, Equatable {}

/// A value that says what it is but not what it holds when printed, reflected or interpolated.
///
/// Personal data conforms, so that it reaches a log or an error text only by asking for `text`.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
}

extension Redacted {
  /// The name of the type in angle brackets.
  package var description: String { "<\(Self.self)>" }

  /// The name of the type in angle brackets.
  package var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows nothing either.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
