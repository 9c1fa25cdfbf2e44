-- From which network a device asked for its code, as a blind value: who asks for many takes nobody
-- else's place.

ALTER TABLE data4help.pairings ADD COLUMN holder bytea NOT NULL DEFAULT '';
