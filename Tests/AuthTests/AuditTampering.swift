import Postgres

/// What a superuser can do to the audit log: one random alteration a call, and its undoing.
let tamperingScript: SQLScript = """
    grant usage on schema public to public;
    alter table auth.chain_block
        drop constraint chain_block_count_check, drop constraint chain_block_bound_check;
    create table public.kept_entry as table auth.audit_entry;
    create table public.kept_text as table auth.audit_text;
    create table public.kept_block as table auth.chain_block;
    create table public.kept_key as table auth.chain_key;

    create function public.restore_audit() returns void
    language plpgsql security definer
    set session_replication_role = replica as $$
    begin
        delete from auth.audit_text;
        delete from auth.audit_entry;
        delete from auth.chain_block;
        delete from auth.chain_key;
        insert into auth.audit_entry select * from public.kept_entry;
        insert into auth.audit_text select * from public.kept_text;
        insert into auth.chain_block select * from public.kept_block;
        insert into auth.chain_key select * from public.kept_key;
    end
    $$;

    -- The value one step beside: a byte, a character, a unit.
    create function public.beside(kind text, roll int) returns text language sql as $$
        select case kind
            when 'bytea' then
                'case when octet_length(%1$I) = 0 then ''x'' else set_byte(%1$I, '
                || roll || ' %% octet_length(%1$I), get_byte(%1$I, ' || roll
                || ' %% octet_length(%1$I)) # (1 << ' || roll % 8 || ')) end'
            when 'text' then
                'case when %1$I = '''' then ''x'' else overlay(%1$I placing '
                || 'case when substr(%1$I, 1 + '
                || roll || ' %% length(%1$I), 1) = ''y'' then ''z'' else ''y'' end from 1 + '
                || roll || ' %% length(%1$I) for 1) end'
            when 'uuid' then
                'overlay(%1$I::text placing case when substr(%1$I::text, 36, 1) = ''a'' then ''b'' '
                || 'else ''a'' end from 36 for 1)::uuid'
            when 'xid8' then '(%1$I::text::bigint + ' || (roll % 3) + 1 || ')::text::xid8'
            when 'timestamp with time zone' then '%1$I + interval ''1 microsecond'''
            when 'bigint' then
                case when roll % 3 = 0 then '9223372036854775807' else '%1$I + ' || roll % 3 end
        end
    $$;

    -- What was done, or null where a constraint forbids it.
    create function public.tamper(roll1 int, roll2 int, roll3 int) returns text
    language plpgsql security definer
    set session_replication_role = replica as $$
    declare
        place text := (array['auth.audit_entry', 'auth.audit_entry', 'auth.chain_block',
            'auth.audit_text', 'auth.chain_key'])[1 + roll1 % 5];
        kind text := (array['change', 'change', 'change', 'delete', 'copy', 'swap'])
            [1 + roll2 % 6];
        picked record;
        target tid;
        other tid;
        step text;
        touched int;
    begin
        execute format('select ctid from %s order by ctid offset %s %% (select count(*) from %s) '
            'limit 1', place, roll3, place) into target;
        execute format('select ctid from %s where ctid <> %L order by ctid offset %s %% greatest('
            '(select count(*) - 1 from %s), 1) limit 1', place, target, roll3 / 7, place)
            into other;
        if kind = 'delete' then
            execute format('delete from %s where ctid = %L', place, target);
        elsif kind = 'change' then
            select a.attname, format_type(a.atttypid, null) as type into picked
            from pg_attribute a
            where a.attrelid = place::regclass and a.attnum > 0 and not a.attisdropped
            order by a.attnum
            offset roll3 % (select count(*) from pg_attribute b where b.attrelid = place::regclass
                and b.attnum > 0 and not b.attisdropped)
            limit 1;
            step := case when picked.attname = 'address_family'
                then 'case when %1$I = ''IPv4'' then ''IPv6'' else ''IPv4'' end'
                else public.beside(picked.type, roll3 / 3) end;
            execute format('update %s set %I = coalesce(%s, %s) where ctid = %L', place,
                picked.attname, format(step, picked.attname),
                case picked.type when 'uuid' then 'gen_random_uuid()' when 'bytea'
                    then 'sha256(''x'')' when 'text' then '''x''' else picked.attname end,
                target);
            kind := kind || ' ' || picked.attname;
        elsif kind = 'copy' then
            -- The same again under another name: the most that one without our keys can make.
            if place = 'auth.audit_entry' then
                insert into auth.audit_entry
                select gen_random_uuid(), case when roll3 % 2 = 0 then xid
                    else pg_current_xact_id() end, actor, action, subject, detail, text_hash,
                    address_family, request_id, at, code
                from auth.audit_entry where ctid = target;
            elsif place = 'auth.chain_block' then
                insert into auth.chain_block
                select chain, height + 1000, previous_hash, number_from, number_below, entry_count,
                    leaves, sealed_at, key_id, hash, signature
                from auth.chain_block where ctid = target;
            elsif place = 'auth.audit_text' then
                insert into auth.audit_text
                select gen_random_uuid(), salt, value from auth.audit_text where ctid = target;
            else
                return null;
            end if;
        else
            if place = 'auth.audit_entry' then
                update auth.audit_entry e set (xid, actor, action, subject, detail, text_hash,
                    address_family, request_id, at, code) = (
                    select o.xid, o.actor, o.action, o.subject, o.detail, o.text_hash,
                        o.address_family, o.request_id, o.at, o.code
                    from auth.audit_entry o
                    where o.ctid = case when e.ctid = target then other else target end)
                where e.ctid in (target, other);
            elsif place = 'auth.chain_block' then
                update auth.chain_block e set (
                    previous_hash, number_from, number_below, entry_count,
                    leaves, sealed_at, key_id, hash, signature) = (
                    select o.previous_hash, o.number_from, o.number_below, o.entry_count, o.leaves,
                        o.sealed_at, o.key_id, o.hash, o.signature
                    from auth.chain_block o
                    where o.ctid = case when e.ctid = target then other else target end)
                where e.ctid in (target, other);
            elsif place = 'auth.audit_text' then
                update auth.audit_text e set (salt, value) = (
                    select o.salt, o.value from auth.audit_text o
                    where o.ctid = case when e.ctid = target then other else target end)
                where e.ctid in (target, other);
            else
                return null;
            end if;
        end if;
        get diagnostics touched = row_count;
        return kind || ' of ' || place;
    exception when check_violation or not_null_violation or unique_violation
            or string_data_right_truncation then
        return null;
    end
    $$;

    grant execute on all functions in schema public to public;
    """

let tamper = Statement("select public.tamper($1, $2, $3)") { row in
    try row.value(0, as: String?.self)
}
let restoreAudit = Statement("select public.restore_audit()::text") { row in try row.string(0) }
