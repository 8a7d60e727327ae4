// Events to a program of this machine, and deliveries to webhooks.
import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isHeard, listenOverCloses } from '../../server/test/survival/cliListen.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { openBench } from './lines.ts'

const { folder, baseUrl, team, runyard } = await openBench()

proves('cli.listen', 'what happens while it is closed comes when it opens again: once, in order, signed', async (t) => {
  const target = { baseUrl, key: team.key, teamId: team.id, folder }
  const seen = await listenOverCloses(target, { closes: 2, perPhase: 4, pauseMs: 0 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(isHeard(seen), JSON.stringify(seen))
  assert.equal(seen.events, 20)
  const state = join(folder, '.local', 'state', 'runyard', 'listen')
  const [file = ''] = await readdir(state)
  assert.equal((await stat(join(state, file))).mode & 0o777, 0o600)
  for (const words of [
    ['--from', 'then'],
    ['--print', 'xml'],
    ['--forward-to', 'localhost'],
  ]) {
    assert.equal((await runyard('listen', ...words)).code, 64)
  }
  assert.equal((await runyard('listen', '--events', 'run.nothing')).code, 1)
})
