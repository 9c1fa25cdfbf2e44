-- Why: a person reads the documents of a registration in their language (ACC-2, NFR-6, NFR-8). The
-- text in data4help.documents remains for readers without a translation.

-- Written with the version of the document. Rows are only added.
CREATE TABLE data4help.document_translations (
  document  text NOT NULL,
  version   text NOT NULL,
  language  text NOT NULL
            CONSTRAINT document_translations_language_check CHECK (language IN ('it', 'en')),
  title     text NOT NULL,
  body      text NOT NULL,
  CONSTRAINT document_translations_pkey PRIMARY KEY (document, version, language),
  CONSTRAINT document_translations_document_version_fkey FOREIGN KEY (document, version)
    REFERENCES data4help.documents (document, version)
);
COMMENT ON TABLE data4help.document_translations IS
  'Texts of a version of a document by language; consents name the version only';

GRANT SELECT ON data4help.document_translations TO data4help;
