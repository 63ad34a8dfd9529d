-- An identity that a log-in has proved and whose account asks for a second factor. It is linked, or
-- used, by the session that the right answer opens, and forgotten with the challenge otherwise: who
-- has shown one factor of two changes nothing. The client names the challenge alone.
create table auth.proved_identity (
    challenge_id uuid primary key references auth.challenge (id) on delete cascade,
    provider text not null,
    issuer text not null,
    subject text not null,
    email text,
    email_verified boolean not null
);
