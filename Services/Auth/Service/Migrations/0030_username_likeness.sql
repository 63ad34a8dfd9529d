-- A name looks like another one also where both are written in small letters: «LIMA» like «lıma»,
-- though «I» as it stands looks like «l». The service fills the column for names from before; the
-- second of two that were alike already keeps its name, and has its id here.
alter table auth.user_account add column username_folded_skeleton text;
alter table auth.user_account
    add constraint user_account_username_folded_skeleton_key unique (username_folded_skeleton);
