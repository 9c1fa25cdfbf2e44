-- Why: a subscription that waits for its payment has no relay, so that samples which the person
-- uploaded while the account was inactive were delivered after the payment (REQ-7, REQ-9).

ALTER TABLE data4help.single_requests ADD COLUMN hidden_seqs int8multirange;
COMMENT ON COLUMN data4help.single_requests.hidden_seqs IS
  'Numbers of samples of the account that were stored while it was inactive and the payment of '
  'this subscription was due: never delivered; NULL for none';
