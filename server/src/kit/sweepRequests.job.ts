// Forgets what requests left behind and nobody asks for any more: expired idempotency keys, windows of past minutes, last uses of sessions that are gone.
import { job } from './job.ts'

const batch = 5000

export const sweepRequests = job({
  name: 'sweepRequests',
  safeToRepeat: 'deleting what is expired finds nothing the second time',
  cron: '*/5 * * * *',
  async handler({ sql, signal }) {
    for (let gone = batch; gone === batch && !signal.aborted;) {
      const rows = await sql`
        delete from idempotency_keys where (team_id, key) in
          (select team_id, key from idempotency_keys where expires_at < now() limit ${batch} for update skip locked)
        returning 1`
      gone = rows.length
    }
    await sql`delete from rate_windows where window_start < now() - interval '5 minutes'`
    // API keys and OAuth clients are few; sessions come and go, and none is as old as this
    await sql`
      delete from credential_uses u where u.last_used_at < now() - interval '8 days'
        and not exists (select from api_keys k where k.id = u.credential_id)
        and not exists (select from oauth_clients c where c.id = u.credential_id)`
  },
})
