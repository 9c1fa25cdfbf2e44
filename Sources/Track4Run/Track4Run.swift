// Track4Run: third parties organise runs (Runs, Invitations), people join them and check in
// (Enrolments, CheckIns), anyone watches where they are (LivePositions) and what came of it
// (Results, PublicRuns). Accounts are numbers: who somebody is, and what runners share, reaches it
// through Data4Help alone, in a conversation of one process (Duties, Outbox, Following,
// Departures).
