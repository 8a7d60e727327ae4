// The process for work that others died over: the caller can tell a death, a silence and a failed start apart.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLog } from '../base/log.ts'
import { startAlone } from './alone.ts'

const folder = await mkdtemp(join(tmpdir(), 'runyard-alone-'))
after(() => rm(folder, { recursive: true, force: true }))

/** A process that treats a unit as its id says. */
const entry = join(folder, 'entry.mjs')
await writeFile(
  entry,
  `const tell = (message) => new Promise((resolve) => process.send(message, undefined, undefined, resolve))
process.on('message', async (message) => {
  if (message === 'stop') process.exit(0)
  const { id } = message.drive
  await tell({ took: id, at: 'the last part' })
  if (id === 'hangs') for (;;);
  if (id === 'dies') process.kill(process.pid, 'SIGKILL')
  await tell({ done: id, taken: true, failure: id === 'fails' ? 'no' : undefined })
})
await tell({ ready: true })
`,
)

function start(file: string) {
  const lines: string[] = []
  const alone = startAlone({
    log: createLog('error', { write: (line) => void lines.push(line) }),
    entry: file,
    args: [],
    silentMs: 500,
  })
  after(() => alone.stop())
  return { alone, lines }
}

const unit = (id: string) => ({ kind: 'test', id, epoch: 0 })

// proves alone.told
test('a process that hangs over its work is killed, which is a death; one that dies names what it had begun; a failure is not a death', async () => {
  const { alone } = start(entry)
  assert.deepEqual(await alone.drive(unit('hangs')), { how: 'died', at: 'the last part' })
  assert.deepEqual(await alone.drive(unit('dies')), { how: 'died', at: 'the last part' })
  assert.deepEqual(await alone.drive(unit('fails')), { how: 'done', failure: 'no' })
  assert.deepEqual(await alone.drive(unit('ends')), { how: 'done', failure: undefined })
})

// proves alone.told
test('a process that cannot start accuses nobody, is told in the log, and is not started again at once', async () => {
  const { alone, lines } = start(join(folder, 'missing.mjs'))
  assert.deepEqual(await alone.drive(unit('any')), { how: 'untouched' })
  assert.match(lines.join(), /does not start/)
  assert.equal(alone.isBusy(), true)
})
