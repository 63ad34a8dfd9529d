-- One service's database and its roles; run by a superuser with psql, as often as one likes.
-- Variables: database, schema, owner_password, service_password.
--   <database>_owner    runs migrations, owns everything but what moves money
--   <database>_service  what the running service is: no DDL
--   <database>_poster   no log-in; owns the functions that move money (the ledger's migrations
--                       give it its rights, so the owner is a member of it)
-- Its statements hold passwords: the server logs neither slow ones nor failed ones.
set log_min_duration_statement = -1;
set log_min_error_statement = panic;
\set owner :database _owner
\set service :database _service
\set poster :database _poster
select format('create role %I nologin', role)
  from unnest(array[:'owner', :'service', :'poster']) as role
 where not exists (select from pg_roles where rolname = role)
   and (role <> :'poster' or :'schema' = 'ledger')
\gexec
alter role :"owner" login password :'owner_password';
alter role :"service" login password :'service_password';
select format('grant %I to %I', :'poster', :'owner') where :'schema' = 'ledger'
\gexec
select format('create database %I owner %I', :'database', :'owner')
 where not exists (select from pg_database where datname = :'database')
\gexec
revoke all on database :"database" from public;
grant connect on database :"database" to :"service";
alter role :"owner" in database :"database" set search_path = :"schema", pg_temp;
alter role :"service" in database :"database" set search_path = :"schema", pg_temp;
