-- What one third party has asked one person and waits for (REQ-1): counted with every request, so
-- that nobody is flooded.

CREATE INDEX single_requests_pending_idx
  ON data4help.single_requests (account_id, third_party_id, answer_by) WHERE status = 1;
