-- owner: features/credentials/. A client does not outlive the credential that made it; the audit log names whom a key was made for.
alter table oauth_clients add column expires_at timestamptz(3);
alter table audit_log add column for_member_id uuid;
