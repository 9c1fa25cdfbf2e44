-- Check-in requests of runs (R39 to R42, R47, R48): single requests that Track4Run sends on behalf
-- of an organiser. The organiser stands as their third party; what they give goes to Track4Run,
-- which has one sequence for all of them, that of the number 0, which is no account's.

ALTER TABLE data4help.single_requests
  ADD COLUMN is_check_in boolean NOT NULL DEFAULT false,
  -- In whose sequence stands what the request gives.
  ADD COLUMN recipient_id bigint NOT NULL
    GENERATED ALWAYS AS (CASE WHEN is_check_in THEN 0 ELSE third_party_id END) STORED,
  -- An organiser names a runner by the run, and does not pay; no list answers for the runner.
  ADD CONSTRAINT single_requests_check_in_check
    CHECK (NOT is_check_in
           OR sealed_addressee = '' AND price_cents = 0 AND preconfirmed_at IS NULL);

-- 6: an account was deleted; told to Track4Run alone. Of no request: the identifier is the entry's.
ALTER TABLE data4help.third_party_log
  DROP CONSTRAINT third_party_log_kind_check,
  ADD CONSTRAINT third_party_log_kind_check CHECK (kind BETWEEN 1 AND 6),
  ADD COLUMN sealed_account bytea,               -- the number, by a server key
  ADD CONSTRAINT third_party_log_sealed_account_check
    CHECK ((kind = 6) = (sealed_account IS NOT NULL));
