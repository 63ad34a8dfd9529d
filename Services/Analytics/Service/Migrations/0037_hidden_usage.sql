-- Of a cell of usage that is not told it is kept from here on of how many people it is (`users`; 0
-- where that was not kept), and nothing else: where the operator has figures be of more people, what
-- was told of a month is decided anew by it, in company, long after the people's days are forgotten.
comment on column analytics.usage_cell.users is
    'of what is not told, too: a raised minimum is decided by it, and it is in no answer';
