-- Why: the data does not show which keys' database belongs to it. With that of another
-- installation, or an empty one, no sealed value opens and no deletion is repeated (NFR-5). The
-- first process that starts writes the row, and no process changes it.

CREATE TABLE installations (
  is_only      boolean DEFAULT true CONSTRAINT installations_pkey PRIMARY KEY
               CONSTRAINT installations_is_only_check CHECK (is_only),
  root_secret  text NOT NULL,
  adopted_at   timestamptz NOT NULL
);
COMMENT ON TABLE installations IS 'The installation whose keys this database holds: one row';
COMMENT ON COLUMN installations.is_only IS 'Always true: limits the table to one row';
COMMENT ON COLUMN installations.root_secret IS
  'Name of its root secret, 16 hexadecimal digits, which the data stores too';

GRANT SELECT, INSERT ON installations TO data4help;
