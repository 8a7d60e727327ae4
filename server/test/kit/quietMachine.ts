// Reaction times mean something only when nothing else runs: `npm run survive` promises that, and `npm test` passes on a busy machine too.
import assert from 'node:assert/strict'

const isQuiet = process.env['RUNYARD_QUIET_MACHINE'] === '1'

/** Fails when it took too long, on a machine that has nothing else to do. */
export function assertWithin(what: string, tookMs: number, mostMs: number): void {
  if (isQuiet) assert.ok(tookMs < mostMs, `${what}: ${Math.round(tookMs)} ms, more than ${mostMs}`)
}

/** Settings of a service that a test starts: on a busy machine the database may stand still for a moment, and is not away. */
export const patience: Record<string, string> = isQuiet ? {} : { RUNYARD_DATABASE_ANSWER_MS: '20000' }
