-- Third parties whose requests a person has accepted in advance (REQ-3). A request that was
-- accepted by the list keeps since when its third party stood there: that is the proof of the
-- consent.

CREATE TABLE data4help.preconfirmed_third_parties (
  account_id      bigint NOT NULL
                  CONSTRAINT preconfirmed_third_parties_account_id_fkey
                  REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  third_party_id  bigint NOT NULL
                  CONSTRAINT preconfirmed_third_parties_third_party_id_fkey
                  REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  listed_at       timestamptz NOT NULL,
  CONSTRAINT preconfirmed_third_parties_pkey PRIMARY KEY (account_id, third_party_id)
);

CREATE INDEX preconfirmed_third_parties_third_party_id_idx
  ON data4help.preconfirmed_third_parties (third_party_id);
CREATE INDEX preconfirmed_third_parties_listed_at_idx
  ON data4help.preconfirmed_third_parties (account_id, listed_at DESC, third_party_id DESC);

ALTER TABLE data4help.single_requests
  ADD COLUMN preconfirmed_at timestamptz,        -- accepted in advance, at that time
  ADD CONSTRAINT single_requests_preconfirmed_check
    CHECK (preconfirmed_at IS NULL OR preconfirmed_at <= created_at);

-- UPDATE is what holding a row takes.
GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.preconfirmed_third_parties TO data4help;
