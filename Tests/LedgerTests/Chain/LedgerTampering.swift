import Postgres

/// What a superuser can do to the books: one alteration a call, and its undoing.
let ledgerTampering: SQLScript = """
    grant usage on schema public to public;
    do $$
    declare
        bound record;
    begin
        for bound in
            select conrelid::regclass as place, conname from pg_constraint
            where connamespace = 'ledger'::regnamespace and contype in ('c', 'f')
        loop
            execute format('alter table %s drop constraint %I', bound.place, bound.conname);
        end loop;
    end
    $$;
    alter table ledger.movement alter column id drop identity;
    create table public.place as select unnest(array['entry', 'movement', 'balance',
        'money_transaction', 'transaction_line', 'transfer', 'chain_block', 'chain_key',
        'journal_sum']) as name;
    do $$
    declare
        place text;
    begin
        for place in select name from public.place loop
            execute format('create table public.kept_%s as table ledger.%s', place, place);
        end loop;
    end
    $$;

    create function public.restore_books() returns void
    language plpgsql security definer
    set session_replication_role = replica as $$
    declare
        place text;
    begin
        for place in select name from public.place loop
            execute format('delete from ledger.%s', place);
            execute format('insert into ledger.%s select * from public.kept_%s', place, place);
        end loop;
    end
    $$;

    -- Every column that somebody could change: a change is told to clients by `xid`, and a folder
    -- is no part of what happened.
    create function public.columns() returns table (place text, name text, kind text)
    language sql security definer as $$
        select c.table_name::text, c.column_name::text,
            case c.data_type when 'ARRAY' then c.udt_name else c.data_type end::text
        from information_schema.columns as c
        join public.place on place.name = c.table_name
        where c.table_schema = 'ledger'
            and (c.table_name, c.column_name) not in (
                ('money_transaction', 'xid'), ('money_transaction', 'folder_id'),
                ('transfer', 'xid'))
        order by 1, 2
    $$;

    -- The value one step beside: a byte, a character, a unit.
    create function public.beside(kind text, roll int) returns text language sql as $$
        select case kind
            when 'bytea' then
                'case when octet_length(%1$I) is null then ''x'' else set_byte(%1$I, '
                || roll || ' %% octet_length(%1$I), get_byte(%1$I, ' || roll
                || ' %% octet_length(%1$I)) # (1 << ' || roll % 8 || ')) end'
            when 'text' then
                'case when coalesce(%1$I, '''') = '''' then ''x'' else overlay(%1$I placing '
                || 'case when substr(%1$I, 1 + '
                || roll || ' %% length(%1$I), 1) = ''Y'' then ''Z'' else ''Y'' end from 1 + '
                || roll || ' %% length(%1$I) for 1) end'
            when 'uuid' then
                'overlay(coalesce(%1$I, gen_random_uuid())::text placing case when '
                || 'substr(%1$I::text, 36, 1) = ''a'' then ''b'' else ''a'' end from 36 '
                || 'for 1)::uuid'
            when 'xid8' then '(%1$I::text::bigint + ' || (roll % 3) + 1 || ')::text::xid8'
            when 'timestamp with time zone' then
                'coalesce(%1$I, now()) + interval ''1 microsecond'''
            when 'date' then 'coalesce(%1$I, current_date) + 1'
            when 'boolean' then 'not %1$I'
            when '_uuid' then '%1$I || gen_random_uuid()'
            when '_int4' then '%1$I || 7'
            when '_text' then '%1$I || ''x''::text'
            else case when roll % 4 = 0 then 'coalesce(%1$I, 0) + (1 << ' || roll % 14 || ')'
                else 'coalesce(%1$I, 0) + ' || roll % 4 end
        end
    $$;

    -- Changes a column of some row; null where nothing came of it.
    create function public.change(place text, name text, kind text, roll int) returns text
    language plpgsql security definer
    set session_replication_role = replica as $$
    declare
        picked text;
        before jsonb;
        after jsonb;
    begin
        execute format('select ctid::text, to_jsonb(t) from ledger.%I as t order by md5(t::text) '
            'offset %s %% greatest((select count(*) from ledger.%I), 1) limit 1',
            place, roll, place) into picked, before;
        if picked is null then return null; end if;
        begin
            execute format('update ledger.%I as t set %I = %s '
                'where ctid = %L returning to_jsonb(t)',
                place, name, format(public.beside(kind, roll), name), picked) into after;
        exception when unique_violation or not_null_violation or numeric_value_out_of_range then
            return null;
        end;
        if after is null or after = before then return null; end if;
        return format('%s.%s of %s', place, name, before);
    end
    $$;

    -- Takes a row away, puts another one there, or exchanges all of two rows but a column; null
    -- where nothing came of it.
    create function public.rob(place text, kind text, roll int) returns text
    language plpgsql security definer
    set session_replication_role = replica as $$
    declare
        picked text[];
        kept text;
        fresh text;
        others text;
        same boolean;
    begin
        execute format('select array_agg(at) from (select ctid::text as at from ledger.%I as t '
            'order by md5(t::text || %L) limit 2) as two', place, roll) into picked;
        if cardinality(picked) is distinct from 2 then return null; end if;
        select quote_ident(name), case type when 'uuid' then 'gen_random_uuid()'
            when 'bigint' then '1 + ' || quote_ident(name) when 'text' then quote_literal('another')
            else quote_ident(name) end, rest
        into kept, fresh, others
        from (
            select attname::text as name, format_type(atttypid, null) as type, attnum,
                (select string_agg(quote_ident(o.attname), ', ' order by o.attnum)
                    from pg_attribute as o where o.attrelid = a.attrelid and o.attnum > 0
                        and not o.attisdropped and o.attnum <> a.attnum) as rest
            from pg_attribute as a
            where attrelid = format('ledger.%I', place)::regclass and attnum > 0
                and not attisdropped
                -- Of these two alone an exchange changes nothing that happened.
                and attname <> 'folder_id'
                and (attname <> 'xid' or place = 'entry')
        ) as named
        order by case when kind = 'copy' then attnum end, md5(name || roll)
        limit 1;
        begin
            if kind = 'delete' then
                execute format('delete from ledger.%I where ctid = %L', place, picked[1]);
            elsif kind = 'copy' then
                execute format('insert into ledger.%I (%s, %s) select %s, %s from ledger.%I '
                    'where ctid = %L', place, kept, others, fresh, others, place, picked[1]);
            else
                execute format('create temporary table pair on commit drop as '
                    'select *, ctid = %L as first from ledger.%I where ctid = any (%L::tid[])',
                    picked[1], place, picked);
                execute format('delete from ledger.%I where ctid = any (%L::tid[])', place, picked);
                execute format('insert into ledger.%I (%s, %s) select one.%s, %s from pair as one '
                    'join pair as other on one.first <> other.first', place, kept, others, kept,
                    regexp_replace(others, '(^|, )', '\\1other.', 'g'));
            end if;
        exception when unique_violation then return null;
        end;
        execute format('select not exists (table ledger.%I except all table public.kept_%s) and '
            'not exists (table public.kept_%s except all table ledger.%I)',
            place, place, place, place) into same;
        if same then return null; end if;
        return format('%s %s but %s', place, kind, kept);
    end
    $$;
    """
