// Runs: third parties organise them (Organising, Invitations), people find them (RunList,
// PublicRuns), join them and check in (Enrolments, CheckIns). Data shared by runners is stored
// sealed (SealedData) and becomes results (Results). Accounts are numbers: Synchronisation applies
// the events of Data4Help about them, Departures removes deleted ones, and Notifications notifies
// the others.
