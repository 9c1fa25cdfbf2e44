import Domain
import PublicAPI
import Time

/// A file of the archive with an endpoint's answer to its caller.
package struct ArchivedAnswer: Sendable {
  /// Its name, without `.json`.
  let name: String
  /// The endpoint that answers.
  package let endpoint: Endpoint
  /// Its description, in both languages of the README.
  let english: String
  let italian: String
}

/// The contents of the archive (ACC-11): the answers of the endpoints that show an account its
/// stored data, data without an endpoint, and the samples.
package enum ArchiveContents {
  /// The endpoints whose answers are in the archive of an account of this kind.
  package static func answers(for kind: AccountKind) -> [ArchivedAnswer] {
    switch kind {
    case .singleUser: common + ofSingleUsers
    case .thirdParty: common + ofThirdParties
    }
  }

  private static let common = [
    ArchivedAnswer(
      name: "account", endpoint: .me, english: "Your account.", italian: "Il tuo account."),
    ArchivedAnswer(
      name: "consents", endpoint: .consents,
      english: "The documents that you have agreed to, and when.",
      italian: "I documenti che hai accettato, e quando."),
    ArchivedAnswer(
      name: "notices", endpoint: .notices, english: "Your notifications.",
      italian: "Le notifiche che hai ricevuto."),
    ArchivedAnswer(
      name: "push", endpoint: .pushSubscriptions,
      english: "The browsers that receive your notifications.",
      italian: "I browser che ricevono le tue notifiche."),
  ]

  private static let ofSingleUsers = [
    ArchivedAnswer(
      name: "profile", endpoint: .readSingleUser, english: "Your profile.",
      italian: "Il tuo profilo."),
    ArchivedAnswer(
      name: "data-types", endpoint: .readImportedTypes,
      english: "Which data types you import.", italian: "Quali tipi di dati importi."),
    ArchivedAnswer(
      name: "devices", endpoint: .listDevices, english: "Your paired devices.",
      italian: "I tuoi dispositivi associati."),
    ArchivedAnswer(
      name: "requests", endpoint: .listForSingleUser,
      english: "Who asked for your data, and what you answered.",
      italian: "Chi ha chiesto i tuoi dati, e che cosa hai risposto."),
    ArchivedAnswer(
      name: "preconfirmed", endpoint: .listPreconfirmed,
      english: "The companies whose requests you accept in advance.",
      italian: "Le aziende di cui accetti le richieste in anticipo."),
    ArchivedAnswer(
      name: "accesses", endpoint: .accesses,
      english: "Who received your data, and when.",
      italian: "Chi ha ricevuto i tuoi dati, e quando."),
    ArchivedAnswer(
      name: "runs", endpoint: .listJoinedRuns, english: "The runs that you have joined.",
      italian: "Le corse a cui ti sei iscritto."),
    ArchivedAnswer(
      name: "sos", endpoint: .readSOSSettings,
      english: "How AutomatedSOS monitors you, and your emergency contacts.",
      italian: "Come AutomatedSOS ti monitora, e i tuoi contatti di emergenza."),
    ArchivedAnswer(
      name: "emergencies", endpoint: .emergencies,
      english: "Your emergencies, and who was called.",
      italian: "Le tue emergenze, e chi è stato chiamato."),
    ArchivedAnswer(
      name: "room", endpoint: .quota, english: "How much room your data takes.",
      italian: "Quanto spazio occupano i tuoi dati."),
  ]

  private static let ofThirdParties = [
    ArchivedAnswer(
      name: "profile", endpoint: .readThirdParty, english: "Your profile.",
      italian: "Il tuo profilo."),
    ArchivedAnswer(
      name: "keys", endpoint: .listKeys, english: "The names of your programs' keys.",
      italian: "I nomi delle chiavi dei tuoi programmi."),
    ArchivedAnswer(
      name: "requests", endpoint: .listForThirdParty,
      english: "The requests that you have sent.", italian: "Le richieste che hai inviato."),
    ArchivedAnswer(
      name: "payments", endpoint: .payments, english: "What you have paid, and what is due.",
      italian: "Che cosa hai pagato, e che cosa è dovuto."),
    ArchivedAnswer(
      name: "runs", endpoint: .listOwnRuns, english: "The runs that you organise.",
      italian: "Le corse che organizzi."),
    ArchivedAnswer(
      name: "callback", endpoint: .readCallback, english: "The address of your callback.",
      italian: "L'indirizzo del tuo callback."),
    ArchivedAnswer(
      name: "callback-log", endpoint: .callbackLog, english: "The calls of the last 30 days.",
      italian: "Le chiamate degli ultimi 30 giorni."),
  ]

  /// The endpoints that an account reads from and that are not in the archive, with the reason.
  package static let leftOut: [String: String] = [
    "export": "the archive itself",
    "statistics": "follows from the samples", "series": "the samples, which are in CSV files",
    "compare": "follows from the samples and from released group statistics",
    "readImport": "is in imports.json",
    "accountStream": "the new entries of notices.json", "thirdPartyStream": "data of other people",
    "thirdPartyEvents": "data of other people", "deliveredData": "data of other people",
    "listParticipants": "data of other people", "watchOwnRun": "data of other people",
    "downloadRun": "data of other people", "emergencyCalls": "data of other people",
    "runStatistics": "one run at a time, with data of other runners",
    "ownTrack": "the positions of one run, which the samples hold",
    "lookUpCompanies": "names of other companies",
  ]

  /// Stored data in the archive that no endpoint shows.
  static let sessions = (
    name: "sessions", english: "Where your account was used: logins, devices, programs.",
    italian: "Dove è stato usato il tuo account: accessi, dispositivi, programmi."
  )
  static let imports = (
    name: "imports", english: "The files that you have imported.",
    italian: "I file che hai importato."
  )
}

/// The README of an archive, in both languages.
enum ArchiveReadme {
  static func text(for kind: AccountKind, at time: Instant) -> String {
    let answers = ArchiveContents.answers(for: kind).map { ($0.name, $0.english, $0.italian) }
    var files = (answers + [ArchiveContents.sessions]).map {
      ("\($0.0).json", $0.1, $0.2)
    }
    if kind == .singleUser {
      let imports = ArchiveContents.imports
      files.append(("\(imports.name).json", imports.english, imports.italian))
      files += [
        (
          "samples/*.csv",
          "Your samples, a file for each data type; seq is your own numbering of them.",
          "I tuoi campioni, un file per tipo di dato; seq è la loro numerazione."
        ),
        (
          "samples/samples.fhir.json", "All samples as a FHIR R4 bundle.",
          "Tutti i campioni come bundle FHIR R4."
        ),
        (
          "samples/positions.gpx", "Your positions as a GPX 1.1 track.",
          "Le tue posizioni come traccia GPX 1.1."
        ),
      ]
    }
    let english = files.map { "  \($0.0): \($0.1)" }.joined(separator: "\n")
    let italian = files.map { "  \($0.0): \($0.2)" }.joined(separator: "\n")
    return """
      TrackMe, \(time)

      ENGLISH
      Everything that TrackMe holds about you. Long lists continue in files with a number at the end
      of their name. Not listed: your password, which TrackMe knows only as a hash, and what it
      computes from these files, such as statistics and the daily values for counting groups.

      \(english)

      ITALIANO
      Tutto ciò che TrackMe conserva su di te. Gli elenchi lunghi continuano in file con un numero
      alla fine del nome. Non ci sono la password, che TrackMe conosce solo come hash, e ciò che
      calcola da questi file, come le statistiche e i valori giornalieri da cui si contano i gruppi.

      \(italian)

      """
  }
}
