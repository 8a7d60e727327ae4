// A sandbox host that stands still: nobody waits for it for ever, and what it still runs ends when it can.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { proves } from '../../../../test/kit/proves.ts'
import { closeAfterwards, openShell } from '../../../../test/kit/sandboxDrivers.ts'
import { commandsBelow, nextFile, sandboxToken, startSandboxHost } from '../../../../test/kit/sandboxHosts.ts'
import { createLog } from '../../../base/log.ts'
import { isGone } from '../processTree.ts'
import { remoteDriver } from './remote.ts'

closeAfterwards()

proves(
  ['sandbox.remote.hostKilled', 'sandbox.remote.hostile'],
  'a command whose sandbox host stands still is answered as died, the next one runs elsewhere, and the host ends the first when it runs again',
  { skip: process.platform === 'linux' ? false : 'looks at processes by /proc' },
  async (t) => {
    const hosts = [await startSandboxHost({ RUNYARD_SANDBOX_LEASE_S: '1' }), await startSandboxHost()]
    for (const host of hosts) t.after(() => host.stop())
    const urls = hosts.map(({ url }) => url)
    const log = createLog('silent')
    const driver = remoteDriver({ urls, token: sandboxToken, bytesMax: 1e9, hosts: [], shellsMax: 1, log })
    t.after(() => driver.close())
    const { run } = await openShell(t, driver)
    await run('bash', 'echo kept > kept')
    const [first] = hosts
    const begun = nextFile(await first!.workspaces(), 'begun')
    const running = run('bash', 'rm kept; echo > begun; sleep 600')
    await begun
    const processes = commandsBelow(first!.pid)
    assert.ok(processes.length > 0)
    first!.signal('SIGSTOP')
    assert.deepEqual([(await running).cut_off], ['died'])
    assert.equal((await run('bash', 'cat kept')).stdout, 'kept\n')
    assert.equal((await hosts[1]!.workspaces()).length, 1)
    first!.signal('SIGCONT')
    // a test that fails here hangs until its time limit: there is no moment by which it must be done
    while (!processes.every(isGone) || (await first!.workspaces()).length > 0) await pause(10)
  },
)
