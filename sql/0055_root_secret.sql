-- The name of the root secret to which this database belongs (NFR-5): blind indexes and tokens hang
-- on it, so that with another one the same email could be registered twice. The name follows from
-- the secret by HKDF and tells nothing of it. The first process that starts writes it; nobody
-- changes it.

CREATE TABLE trackme.root_secrets (
  is_only      boolean DEFAULT true CONSTRAINT root_secrets_pkey PRIMARY KEY
               CONSTRAINT root_secrets_is_only_check CHECK (is_only),
  identifier   text NOT NULL,                    -- 16 hexadecimal digits
  adopted_at   timestamptz NOT NULL
);

GRANT USAGE ON SCHEMA trackme TO data4help, track4run, gateway;
GRANT SELECT, INSERT ON trackme.root_secrets TO data4help, track4run, gateway;
