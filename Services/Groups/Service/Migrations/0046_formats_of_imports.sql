-- More apps whose exports are read, and our own table of a group's expenses. Previews are dropped
-- after a day, so that the table is small.
alter table groups.group_import
    drop constraint group_import_format_check,
    add constraint group_import_format_check check (format in (
        'splitwise', 'tricount', 'spliit', 'sesterce', 'cospend', 'splitpro', 'ezwallet'));
