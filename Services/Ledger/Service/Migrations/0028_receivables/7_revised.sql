                -- Beside a claim lines sum to less: to what they have summed to.
                elsif splits[at] is not null and split_sum is distinct from (
                    case when taken.is_split then (
                        select sum(line.amount) from transaction_line as line
                        where line.transaction_id = taken.id and line.version = taken.version)
                    else taken.amount end)
                then
                    verdict := 'invalid-element';
