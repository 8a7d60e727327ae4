// Retention of the judges' transcripts: a transcript is a copy of a run's messages, and is erased with them.
import { job } from '../../kit/job.ts'

const rowsAtOnce = 500

export const eraseTranscripts = job({
  name: 'eraseTranscripts',
  safeToRepeat: 'what is erased is not found a second time',
  cron: '37 * * * *',
  async handler({ context, sql, signal }) {
    const { runs, messages } = context.config.retentionDays
    const days = Math.min(runs ?? Infinity, messages ?? Infinity)
    if (days === Infinity) return
    for (let erased = rowsAtOnce; erased === rowsAtOnce;) {
      signal.throwIfAborted()
      const gone = await sql`
        delete from evaluation_transcripts where ctid = any(array(
          select ctid from evaluation_transcripts where run_ended_at < now() - make_interval(days => ${days}::int)
          limit ${rowsAtOnce} for update skip locked))
        returning 1`
      erased = gone.length
    }
  },
})
