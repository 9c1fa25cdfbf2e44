import Domain
import HTTP
import JSON

extension Endpoint {
  /// Inviting to runs by mail (RUN-10).
  static let runInvitations: [Endpoint] = [.inviteAsOrganiser, .inviteAsRunner]

  /// Sends an organiser's invitations to a run.
  package static let inviteAsOrganiser = Endpoint.post(
    "/t4r/org/invite", "inviteAsOrganiser", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "Invites addresses by mail to a listed run; at most 500 a day, each once per run.",
    body: .json(OrganiserInvitationBody.self),
    answers: [.message("Action successful")],
    errors: [.foreignRun, .notToBeInvitedTo])

  /// Sends a runner's invitations to a run, under the name chosen for it.
  package static let inviteAsRunner = Endpoint.post(
    "/t4r/active/invite", "inviteAsRunner", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Invites addresses by mail to a run in which you are enrolled; at most 20 a day, each "
      + "once per run.",
    body: .json(RunnerInvitationBody.self),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run."),
      .notToBeInvitedTo,
    ])
}

/// The meaning of `emails`.
private let emailsMeaning = "No response reveals which of them have an account."

/// The body of `POST /t4r/org/invite`.
package struct OrganiserInvitationBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The invited addresses.
  package let addresses: [EmailAddress]

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .required(
      "emails", JSONForm<EmailAddress>.email.list(countMin: 1, countMax: 100), emailsMeaning),
    make: OrganiserInvitationBody.init)
}

/// The body of `POST /t4r/active/invite`.
package struct RunnerInvitationBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The invited addresses.
  package let addresses: [EmailAddress]

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .required(
      "emails", JSONForm<EmailAddress>.email.list(countMin: 1, countMax: 20), emailsMeaning),
    make: RunnerInvitationBody.init)
}

extension ErrorAnswer {
  fileprivate static let notToBeInvitedTo = ErrorAnswer(
    .conflict, "Wrong state", "The run has no path, is over or was cancelled.")
}
