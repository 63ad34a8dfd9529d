-- The numbers of a block that the sealer can have written. What a superuser put there before stands
-- (not valid): the verification tells of it, and a migration that fails on it would help nobody.
alter table auth.chain_block
    add constraint chain_block_count_check
        check (entry_count > 0 and entry_count = octet_length(leaves) / 32
            and octet_length(leaves) % 32 = 0) not valid,
    add constraint chain_block_bound_check check (height < 9223372036854775807) not valid;
