// Sharing of health data with third parties: single requests and their answers, third parties that
// a person trusts, payments, the record of accesses, the revocation of deliveries, and the numbered
// sequence of events with its transports (pages, streams, callbacks, mails).
