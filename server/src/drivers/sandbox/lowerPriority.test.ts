// Commands in sandboxes run at a lower CPU priority than the service.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { bubblewrapCall } from './bubblewrapArguments.ts'
import { closeAfterwards, driversUnderTest, never, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { commandNiceness } from './lowerPriority.ts'
import { sampleProc } from './processTree.ts'
import { usualLimits } from './sandbox.ts'
import { proves } from '../../../test/kit/proves.ts'

const [justBash, bubblewrap] = driversUnderTest

proves(
  'pools.priority',
  'the child that runs commands of just-bash has a lower CPU priority than the service',
  async (t) => {
    const driver = await justBash!.make()
    closeAfterwards(driver)
    const { run } = await openShell(t, driver)
    await run('bash', 'true')
    const children = sampleProc(process.pid, 1000).pids.slice(1)
    assert.deepEqual(children.map(getPriority), [commandNiceness])
    assert.ok(getPriority() < commandNiceness)
  },
)

proves(
  'pools.priority',
  'commands of just-bash have a session of their own, and Linux gives all of it the lower CPU priority',
  { skip: existsSync('/proc/self/autogroup') ? false : 'this system does not share the processor between sessions' },
  async (t) => {
    const driver = await justBash!.make()
    closeAfterwards(driver)
    const { run } = await openShell(t, driver)
    await run('bash', 'true')
    const autogroups = sampleProc(process.pid, 1000).pids.map((pid) =>
      readFileSync(`/proc/${pid}/autogroup`, 'utf8').trim(),
    )
    const [own, ofCommands] = autogroups.map((line) => line.split(' nice '))
    assert.notEqual(own![0], ofCommands![0])
    assert.equal(ofCommands![1], String(commandNiceness))
  },
)

proves(
  'pools.priority',
  'a command in bubblewrap finds itself at the lower CPU priority',
  { skip: bubblewrap!.skip },
  async (t) => {
    const driver = await bubblewrap!.make()
    closeAfterwards(driver)
    const { run } = await openShell(t, driver)
    assert.equal((await run('bash', 'nice')).stdout.trim(), String(commandNiceness))
  },
)

proves(
  'pools.priority',
  'bubblewrap is started by nice, whoever the service is, and without it where it is not installed',
  () => {
    const command = { language: 'bash', code: 'true', timeoutMs: 1000, outputBytesMax: 1000, signal: never } as const
    const call = (nice: string | null, setpriv: string | null) => {
      const programs = { bwrap: '/usr/bin/bwrap', mkfifo: '/usr/bin/mkfifo', node: '/usr/bin/node', nice, setpriv }
      const wanted = { programs, folder: '/w', proxied: null, command, limits: usualLimits }
      const { program, args } = bubblewrapCall({ ...wanted, countsOwnProcesses: true, joinPath: null })
      return [program, ...args]
    }
    for (const setpriv of [null, '/usr/bin/setpriv']) {
      const plain = call(null, setpriv)
      assert.equal(plain[0], '/usr/bin/bwrap')
      assert.deepEqual(call('/usr/bin/nice', setpriv), ['/usr/bin/nice', '-n', String(commandNiceness), ...plain])
    }
  },
)
