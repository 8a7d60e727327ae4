// The log in a terminal: one can read it, and what strangers wrote moves nothing.
import assert from 'node:assert/strict'
import { DatabaseAway } from './databaseAway.ts'
import { createLog } from './log.ts'
import { readableLines } from './readableLog.ts'
import { proves } from '../../test/kit/proves.ts'

function written(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  write(createLog('info', readableLines({ write: (piece) => (text += piece) })))
  // oxlint-disable-next-line no-control-regex -- the looks of a terminal are taken away, and nothing else
  return text.replaceAll(/\x1b\[\d+m/g, '')
}

proves('log.readable', 'a line has the time, what happened, and its fields', () => {
  const text = written((log) => log.info({ port: 5432, name: 'a b', of: { x: 1 } }, 'started PostgreSQL'))
  assert.match(text, /^\d\d:\d\d:\d\d {2}started PostgreSQL {2}port=5432 name="a b" of=\{"x":1\}\n$/)
  assert.match(
    written((log) => log.warn('disk is nearly full')),
    /^\S+ {2}warn: disk is nearly full\n$/,
  )
})

proves('log.readable', 'an error stands below its line, with its cause', () => {
  const error = new Error('not stored', { cause: new Error('disk full') })
  const lines = written((log) => log.error({ err: error }, 'a job failed')).split('\n')
  assert.match(lines[0]!, /error: a job failed$/)
  assert.equal(lines[1]?.trim(), 'Error: not stored')
  assert.ok(lines.some((line) => line.trim() === 'because of Error: disk full'))
})

proves('log.readable', 'no text moves the cursor, ends the line or hides a part of it', () => {
  const hostile = 'a\x1b[2Jb\u202Ec\u009Bd\ne\u2028f'
  const text = written((log) => log.info({ title: hostile, err: { message: hostile } }, hostile))
  // oxlint-disable-next-line no-control-regex -- these must not be there
  assert.doesNotMatch(text.trimEnd().replaceAll('\n', ''), /[\x00-\x1f\x7f-\x9f\u202e\u2028]/)
  // the line, and the two lines of its error
  assert.equal(text.trimEnd().split('\n').length, 3)
})

proves('log.readable', 'secrets are cut out of it as well', () => {
  assert.doesNotMatch(
    written((log) => log.info({ key: 'ry_f481a6b376aa_y5GjOwhMl7glKvpW6n0g' }, 'used')),
    /y5GjOw/,
  )
})

proves('log.databaseAway', 'a loop that fails because the database is away does not repeat it', () => {
  const text = written((log) => {
    log.error({ err: new DatabaseAway() }, 'the database does not answer; requests fail until it is back')
    for (let turn = 0; turn < 3; turn++) log.warn({ err: new DatabaseAway() }, 'a poll failed; will retry')
    log.warn({ err: new Error('no such column') }, 'a poll failed; will retry')
  })
  assert.equal(text.match(/requests fail until/g)?.length, 1)
  assert.equal(text.match(/a poll failed/g)?.length, 1)
  assert.match(text, /no such column/)
})
