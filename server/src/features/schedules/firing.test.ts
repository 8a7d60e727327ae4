// What becomes of due times: overlap and catch_up in all their meetings, without a database.
import assert from 'node:assert/strict'
import { decide, type Due } from './firing.ts'
import { proves } from '../../../test/kit/proves.ts'

const at = (time: string): Date => new Date(`2026-07-18T${time}:00.000Z`)
const shown = (times: Date[]): string[] => times.map((time) => time.toISOString().slice(11, 16))

const hourly: Due = {
  frequency: 'hourly',
  time: null,
  day: null,
  day_of_month: null,
  cron: null,
  timezone: 'UTC',
  recurring: true,
  overlap: 'skip',
  catch_up: 'last',
  next_run_at: at('09:00'),
  retry_at: null,
  held: [],
  is_active: false,
}

function outcome(schedule: Partial<Due>, now: string, busySince = now) {
  const { start, held, next } = decide({ ...hourly, ...schedule }, at(now), at(busySince))
  return { start: shown(start), held: shown(held), next: next && shown([next])[0] }
}

proves('schedules.catchUp', 'a time that was missed by more than a minute is treated as catch_up says', () => {
  const cases: [Partial<Due>, string, string[]][] = [
    [{ catch_up: 'none' }, '09:01', ['09:00']],
    [{ catch_up: 'none' }, '09:02', []],
    [{ catch_up: 'none' }, '12:00', ['12:00']],
    [{ catch_up: 'last' }, '09:30', ['09:00']],
    [{ catch_up: 'last' }, '12:30', ['12:00']],
    [{ catch_up: 'last' }, '12:01', ['12:00']],
    [{ catch_up: 'all', overlap: 'allow' }, '12:30', ['09:00', '10:00', '11:00', '12:00']],
    [{ catch_up: 'all', overlap: 'allow' }, '12:01', ['09:00', '10:00', '11:00', '12:00']],
  ]
  for (const [schedule, now, start] of cases) {
    const seen = outcome(schedule, now)
    assert.deepEqual(seen.start, start, JSON.stringify([schedule, now]))
    assert.equal(seen.next, now < '10:00' ? '10:00' : '13:00')
    assert.deepEqual(seen.held, [])
  }
  const long = decide(
    { ...hourly, catch_up: 'all', overlap: 'allow', next_run_at: new Date('2026-01-01T00:00:00Z') },
    at('12:30'),
  )
  assert.equal(long.start.length, 100)
  assert.deepEqual(long.start.at(-1), at('12:00'))
  const everyMinute: Partial<Due> = { frequency: 'custom', cron: '* * * * *' }
  assert.deepEqual(outcome({ ...everyMinute, overlap: 'allow' }, '09:01').start, ['09:00', '09:01'], 'both are in time')
})

proves('schedules.retried', 'with catch_up none too, a due time that was tried or had to wait is not missed', () => {
  const none = { catch_up: 'none' as const }
  const tried = { ...none, retry_at: at('09:10') }
  assert.deepEqual(outcome(tried, '09:11').start, ['09:00'])
  assert.deepEqual(outcome(tried, '09:12').start, [], 'nobody was there at its retry')
  assert.deepEqual(outcome({ ...tried, retry_at: at('12:30') }, '12:30').start, ['09:00'], 'others came after it')
  assert.deepEqual(outcome({ ...tried, retry_at: at('08:30') }, '09:05').start, [], 'that was before this due time')
  const once = { ...tried, recurring: false }
  assert.deepEqual(outcome(once, '09:11'), { start: ['09:00'], held: [], next: null })
  assert.deepEqual(outcome({ ...once, overlap: 'allow', retry_at: at('12:00') }, '12:00').start, ['12:00'], 'only one')
  assert.deepEqual(outcome(none, '09:30', '09:01').start, ['09:00'])
  assert.deepEqual(outcome(none, '09:30', '08:50').start, ['09:00'], 'it came while others were fired')
  assert.deepEqual(outcome(none, '09:30', '09:02').start, [])
  const often = { ...none, frequency: 'every_5_minutes' as const, overlap: 'allow' as const }
  assert.deepEqual(outcome(often, '09:12', '08:58').start, ['09:00', '09:05', '09:10'])
})

proves(
  'schedules.overlapping',
  'while the run before is active a due time is skipped, held back, or fired all the same',
  () => {
    const busy = { is_active: true }
    assert.deepEqual(outcome({ ...busy, overlap: 'skip' }, '09:00'), { start: [], held: [], next: '10:00' })
    assert.deepEqual(outcome({ ...busy, overlap: 'allow' }, '09:00'), { start: ['09:00'], held: [], next: '10:00' })
    assert.deepEqual(outcome({ ...busy, overlap: 'queue' }, '09:00'), { start: [], held: ['09:00'], next: '10:00' })
    const one = { overlap: 'queue' as const, held: [at('08:00')] }
    assert.deepEqual(
      outcome({ ...one, ...busy }, '09:00'),
      { start: [], held: ['08:00'], next: '10:00' },
      'one at most',
    )
    assert.deepEqual(outcome(one, '09:00'), { start: ['08:00'], held: ['09:00'], next: '10:00' }, 'in their order')
    assert.deepEqual(outcome({ ...one, next_run_at: at('10:00') }, '09:30'), {
      start: ['08:00'],
      held: [],
      next: '10:00',
    })
  },
)

proves('schedules.inTurn', 'what is made up for runs one after another where runs may not overlap', () => {
  for (const overlap of ['skip', 'queue'] as const) {
    const all = { overlap, catch_up: 'all' as const }
    assert.deepEqual(outcome(all, '12:30'), { start: ['09:00'], held: ['10:00', '11:00', '12:00'], next: '13:00' })
    const later = { ...all, held: [at('10:00'), at('11:00')], next_run_at: at('13:00') }
    assert.deepEqual(outcome(later, '12:31'), { start: ['10:00'], held: ['11:00'], next: '13:00' })
    assert.deepEqual(
      outcome({ ...later, is_active: true }, '13:00').held,
      ['10:00', '11:00'],
      'one that is in time waits for no line',
    )
  }
})

proves('schedules.once', 'one that fires once is spent when it has started or is held back, and not before', () => {
  const once = { recurring: false }
  assert.deepEqual(outcome(once, '09:00'), { start: ['09:00'], held: [], next: null })
  assert.deepEqual(outcome({ ...once, catch_up: 'all', overlap: 'allow' }, '12:30'), {
    start: ['12:00'],
    held: [],
    next: null,
  })
  assert.deepEqual(outcome({ ...once, is_active: true, overlap: 'queue' }, '09:00'), {
    start: [],
    held: ['09:00'],
    next: null,
  })
  assert.deepEqual(outcome({ ...once, is_active: true }, '09:00'), { start: [], held: [], next: '10:00' })
  assert.deepEqual(outcome({ ...once, catch_up: 'none' }, '09:30'), { start: [], held: [], next: '10:00' })
})
