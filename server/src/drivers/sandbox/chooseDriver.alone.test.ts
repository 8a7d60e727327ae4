// The choice of a sandbox: what is asked for, what works here, and the reason in the log.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext } from 'node:test'
import { createLog } from '../../base/log.ts'
import { createOutbound } from '../../base/outbound/fetch.ts'
import { createGuard } from '../../base/outbound/guard.ts'
import { findCgroupParent } from './cgroup.ts'
import { chooseSandboxDriver, type SandboxOptions } from './chooseDriver.ts'
import { driversUnderTest } from '../../../test/kit/sandboxDrivers.ts'
import { proves } from '../../../test/kit/proves.ts'

const [, bubblewrap] = await driversUnderTest()
const usable = bubblewrap.skip === false

async function choose(t: TestContext, more: Partial<SandboxOptions>) {
  const lines: string[] = []
  const guard = createGuard({ allowPrivateHosts: [] })
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const outbound = createOutbound(guard)
  t.after(() => outbound.close())
  const driver = await chooseSandboxDriver({ outbound, guard, hosts: [], shellsMax: 1, log, ...more })
  t.after(() => driver.close())
  const { why, strength } = JSON.parse(lines[0]!) as { why: string; strength: string }
  assert.equal(strength, driver.strength)
  return { name: driver.name, why }
}

proves('sandbox.choice', 'bubblewrap is chosen where it works, else just-bash, and the log says why', async (t) => {
  const { name, why } = await choose(t, {})
  assert.equal(name, usable ? 'bubblewrap' : 'just_bash')
  assert.equal(why, usable ? 'bwrap works here' : bubblewrap.skip)
})

proves('sandbox.choice', 'what is asked for is chosen, or the start fails with what to do', async (t) => {
  assert.deepEqual(await choose(t, { prefer: 'just_bash' }), { name: 'just_bash', why: 'it is asked for' })
  if (usable) assert.equal((await choose(t, { prefer: 'bubblewrap' })).name, 'bubblewrap')
  else await assert.rejects(choose(t, { prefer: 'bubblewrap' }), /bubblewrap is asked for, but .* Fix that, or ask/)
  await assert.rejects(choose(t, { hosts: ['http://no'] }), /RUNYARD_SANDBOX_HOSTS/)
})

proves(
  'sandbox.choice',
  'a bwrap that does not work is not chosen',
  { skip: process.platform !== 'linux' && 'Linux only' },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    t.after(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho "No permissions to create a new namespace" >&2\nexit 1\n', {
      mode: 0o755,
    })
    const path = process.env['PATH']
    t.after(() => (process.env['PATH'] = path))
    process.env['PATH'] = `${folder}:${path}`
    const { name, why } = await choose(t, {})
    assert.equal(name, 'just_bash')
    assert.match(why, /^bwrap does not work here: No permissions to create a new namespace$/)
  },
)

proves(
  'sandbox.choice',
  'a control group is used only beside our own, with memory and processes to hand down',
  async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    t.after(() => rm(root, { recursive: true }))
    const own = join(root, 'own')
    await writeFile(own, '4:memory:/elsewhere\n')
    assert.equal(await findCgroupParent(root, own), null)
    await writeFile(own, '0::/service\n')
    assert.equal(await findCgroupParent(root, own), null)
    await writeFile(join(root, 'cgroup.subtree_control'), 'cpu memory\n')
    assert.equal(await findCgroupParent(root, own), null)
    assert.equal(await readFile(join(root, 'cgroup.subtree_control'), 'utf8'), 'cpu memory\n')
  },
)
