-- Documents of reports are in the reader's language. Of whom no event has come since it is English;
-- the next one tells, as a rebuild does.

alter table analytics.person add column language text not null default 'en';
