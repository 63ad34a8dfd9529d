                elsif splits[at] is not null and taken.amount is distinct from split_sum then
                    verdict := 'invalid-element';
