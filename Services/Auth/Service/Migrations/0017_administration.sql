-- What administrators look people up by: how a name or an address begins, and what few people are.
create index user_account_username_prefix_idx
    on auth.user_account (username_folded text_pattern_ops);
create index user_account_email_prefix_idx on auth.user_account (email_folded text_pattern_ops);
create index user_account_admins_idx on auth.user_account (id) where 'admin' = any (roles);
create index user_account_coos_idx on auth.user_account (id) where 'coo' = any (roles);
create index user_account_disabled_idx on auth.user_account (id) where not enabled;
