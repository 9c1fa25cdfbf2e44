import Postgres

/// The statements of accounts, profiles and consents, for the check against the schema.
package enum AuthenticationStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    ActiveHolder.self, ThirdParties.self, HoldAccounts.self, BeginRegistration.self,
    FinishRegistration.self,
    ReserveIdentifier.self, InsertAccount.self, InsertActivation.self, ReissueActivation.self,
    LockActivation.self, ActivateAccount.self, KeepIdentifiers.self, LoginStart.self,
    CountWrongPassword.self, SlowLoginsDown.self, LockLoginFailures.self, ForgetLoginFailures.self,
    LockLoginAccount.self, ReplacePasswordHash.self, OpenSession.self, StartSession.self,
    EndOpenSession.self, EndTokens.self, EndSession.self, EndDeadSessions.self,
    ForgetSessions.self,
    CallerAccount.self, LockAbandonedRegistrations.self, ForgetAbandonedRegistrations.self,
    LockExpiredRegistrations.self, DeleteExpiredRegistrations.self, ForgetOldLoginFailures.self,
    ConfirmRegistration.self, InsertDiseases.self, IssuePasswordReset.self,
    StandingPasswordReset.self, UsePasswordReset.self, ForgetPasswordReset.self,
    ForgetOldPasswordResets.self,
    MunicipalitiesByName.self, CountriesByName.self,
    MunicipalityExisted.self, MunicipalityDetails.self, CountryDetails.self, RegionsByCode.self,
    StoredProfile.self,
    LockProfile.self, ReplaceProfile.self, DeleteDiseases.self, ReleaseIdentifier.self,
    ChooseAccountState.self, NewestDocuments.self, PublishedDocuments.self,
    DocumentTranslations.self, InsertConsents.self, GivenConsents.self, LocalesOfAccounts.self,
    MailRecipient.self, MunicipalitiesByPrefix.self,
    ProvincesOfToday.self, CountryNames.self,
    LockCompaniesToIndex.self, DeleteCompanyNamePrefixes.self, InsertCompanyNamePrefixes.self,
    NoteNamesIndexed.self, NoteNameChanged.self, CompaniesByPrefix.self, HoldNames.self,
  ]
}
