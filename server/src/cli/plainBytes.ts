// The columns of bytes that never hold sealed values: hashes, signatures, what is public, and what files contain.

/**
 * What users wrote may begin like a sealed value, if they mean it to: a change of the encryption key does not look for sealed values here. It looks
 * everywhere else, also where nobody said that it must.
 */
export const plainBytes: readonly string[] = [
  'access_tokens.secret_hash',
  'api_keys.secret_hash',
  'artifact_revisions.picture_sha256',
  'blob_chunks.bytes',
  'blobs.sha256',
  'browser_screenshots.sha256',
  'browser_screenshots.thumbnail_sha256',
  'evidence_keys.public_key',
  'evidence_signatures.heads',
  'evidence_signatures.signature',
  'idempotency_keys.request_hash',
  'oauth_clients.secret_hash',
  'oauth_flows.state_hash',
  'oidc_sign_ins.browser_hash',
  'oidc_sign_ins.state_hash',
  'run_messages.text_blob',
  'run_seals.config_hash',
  'run_seals.events_link',
  'run_seals.head',
  'run_seals.messages_link',
  'run_seals.steps_link',
  'runs.message_blob',
  'sessions.secret_hash',
  'sign_in_links.secret_hash',
  'skill_files.sha256',
  'team_files.sha256',
  'trigger_keys.key',
  'triggers.token_hash',
  'workspace_files.sha256',
]
