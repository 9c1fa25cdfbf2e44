import AutomatedSOS
import Domain
import Postgres

/// The statements of AutomatedSOS, for the check against the schema.
package enum EmergencyStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    MonitoredUser.self, ChangeMonitoredUser.self, TouchMonitoredUser.self, EnableMonitoring.self,
    DisableMonitoring.self, ReplaceThresholds.self, ReplaceContacts.self, ContactsOf.self,
    PauseMonitoring.self, HoldMonitoredUser.self, PresentEmergency.self, InsertEmergency.self,
    LockEmergency.self, MoveEmergency.self, DueEmergencies.self, FollowedEmergencies.self,
    MonitoredUsersAfter.self, OpenEmergencies.self, EmergenciesOf.self, NoteHeard.self,
    ClaimSilentUsers.self, HospitalOf.self, ChooseDuty.self, HospitalsToCall.self,
    ApproveHospital.self,
    EnterCall.self, CallsOf.self, NoteAcknowledged.self, CalledFor.self, EnterEmergencyEvents.self,
    NewestPositionChunk.self, CalledEmergencies.self, HospitalCalls.self, NoteVoiceHeard.self,
    NewestCall.self,
    NoteVoiceWithdrawn.self, EnterContactCalls.self, ContactCallsOf.self, NoteContactCall.self,
    ProlongQuiet.self, NearestMunicipality.self, MonitoredRunners.self, HospitalsWithCallbacks.self,
    PeopleToCallFor.self, IncompleteEmergencies.self,
    EndedEmergencies.self, CompleteRecord.self, KeepRecord.self, NoteCallsRead.self,
    EmergencyOfAccesses.self, ConsentsOfContacts.self, AskContacts.self, NotifyContacts.self,
    StandingContactLink.self, UseContactLink.self, ContactMailsSince.self,
    EnterContactMails.self, ContactMailsOf.self, NotifiedContacts.self, ContactsAskedOften.self,
    CountContactQuestions.self, ForgetContactQuestions.self,
  ]
}
