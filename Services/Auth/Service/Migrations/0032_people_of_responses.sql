-- The people whom responses of the last two days mention, by the members that name somebody.
update auth.idempotency_key as stored
set people = mentioned.people
from (
    select scope, key, array_agg(distinct named.texts[1]) as people
    from auth.idempotency_key
    cross join lateral regexp_matches(
        answer,
        '\\"id\\":\\"([^"\\]+)',
        'g'
    ) as named (texts)
    where split_part(scope, ' ', 1) <> named.texts[1]
    group by scope, key
) as mentioned
where stored.scope = mentioned.scope and stored.key = mentioned.key;
