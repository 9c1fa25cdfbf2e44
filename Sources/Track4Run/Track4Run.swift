// Track4Run: third parties organise runs (Organising, Invitations), people find them (RunList),
// join them and check in (Enrolments, CheckIns), spectators follow positions (LivePositions) and
// results (Results, PublicRuns). Accounts are numbers: identities and the data of runners come only
// from Data4Help, in a synchronisation that one process runs (LeaderElection, Outbox, Following,
// Synchronisation, Departures).
