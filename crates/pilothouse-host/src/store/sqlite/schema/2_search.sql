-- Holds no text, only which words stand where; the text is in the events. A row's id is the number
-- of the session, shifted by 32 bits, plus the number of the event.
CREATE VIRTUAL TABLE search USING fts5 (
    asked, said, done,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2"
);
