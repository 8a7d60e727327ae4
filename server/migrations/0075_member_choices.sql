-- owner: features/teams/. What members have shown and chosen: the address that is theirs, and whether they want the tour of the page.
-- It counts only while it is the member's address.
alter table members add column verified_email text;
-- null: they have not answered yet
alter table members add column tour text check (tour in ('done', 'skipped'));
