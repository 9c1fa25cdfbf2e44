// The service Data4Help: the composition of its modules (Accounts, HealthRecords, Sharing,
// GroupStatistics, Emergencies), and the features that concern all of them: deletion of accounts,
// the export of personal data, and the internal routes for Track4Run.
