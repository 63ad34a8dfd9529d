-- The people whom responses of the last two days mention, by the members that name somebody. An
-- invited name stands for the person whose name it is.
update groups.idempotency_key as stored
set people = mentioned.people
from (
    select scope, key,
        array_agg(distinct coalesce(
            (
                select user_id::text
                from groups.person
                where username_folded = lower(named.texts[1])
                limit 1
            ),
            lower(named.texts[1])
        )) as people
    from groups.idempotency_key
    cross join lateral regexp_matches(
        answer,
        '\\"(?:userId|childId|parentId|decidedBy|invitee)\\":\\"([^"\\]+)',
        'g'
    ) as named (texts)
    where split_part(scope, ' ', 1) <> named.texts[1]
    group by scope, key
) as mentioned
where stored.scope = mentioned.scope and stored.key = mentioned.key;
