// Which spellings of a time are accepted, and what they become.
import assert from 'node:assert/strict'
import { readInstant } from './instant.ts'
import { proves } from '../../test/kit/proves.ts'

proves('times.instant', 'any ISO 8601 instant is read and becomes UTC with milliseconds', () => {
  const cases: [string, string | undefined][] = [
    ['2026-07-18T09:30:00.000Z', '2026-07-18T09:30:00.000Z'],
    ['2026-07-18T09:30:00Z', '2026-07-18T09:30:00.000Z'],
    ['2026-07-18t09:30z', '2026-07-18T09:30:00.000Z'],
    ['2026-07-18T11:30:00+02:00', '2026-07-18T09:30:00.000Z'],
    ['2026-07-18T11:30:00+0200', '2026-07-18T09:30:00.000Z'],
    ['2026-07-18T11:30:00+02', '2026-07-18T09:30:00.000Z'],
    ['2026-07-18T09:30:00,123456789Z', '2026-07-18T09:30:00.123Z'],
    ['2026-07-18', '2026-07-18T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-02-29', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['2026-07-18T09:30:00', undefined],
    ['2026-07-18T25:00:00Z', undefined],
    ['2026-07-18T09:30:61Z', undefined],
    ['0000-01-01', undefined],
    ['1784367000', undefined],
    ['yesterday', undefined],
    ['', undefined],
  ]
  for (const [text, instant] of cases) assert.equal(readInstant(text), instant, text)
})
