// Commands in sandboxes run at a lower CPU priority than the service.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { bubblewrapCall } from './bubblewrapArguments.ts'
import { closeAfterwards, driversUnderTest, never, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { commandNiceness, lowestNiceness } from './lowerPriority.ts'
import { sampleProc } from './processTree.ts'
import { usualLimits } from './sandbox.ts'
import { proves } from '../../../test/kit/proves.ts'

const [justBash, bubblewrap] = driversUnderTest
const noAutogroups = existsSync('/proc/self/autogroup')
  ? false
  : 'this system does not share the processor between sessions'

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
  { skip: noAutogroups },
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
  'a command of a team that used more than its share gets the lowest CPU priority until it ends',
  { skip: noAutogroups },
  async (t) => {
    const driver = await justBash!.make()
    closeAfterwards(driver)
    const { run } = await openShell(t, driver)
    await run('bash', 'true')
    const pid = sampleProc(process.pid, 1000).pids.at(-1)!
    const seen: string[] = []
    const niceness = () => readFileSync(`/proc/${pid}/autogroup`, 'utf8').trim().split(' nice ')[1]!
    let asked = 0
    const isToYield = () => {
      seen.push(niceness())
      asked += 1
      return asked > 1
    }
    const reached = async (wanted: number) => {
      while (niceness() !== String(wanted)) await sleep(20)
    }
    const stop = new AbortController()
    const cut = run('bash', 'sleep 60', { isToYield, signal: stop.signal })
    await reached(lowestNiceness)
    assert.deepEqual(seen, [String(commandNiceness), String(commandNiceness)])
    stop.abort(new Error('seen'))
    await assert.rejects(cut, /seen/)
  },
)

proves('pools.priority', 'the next command has the usual low CPU priority again', { skip: noAutogroups }, async (t) => {
  const driver = await justBash!.make()
  closeAfterwards(driver)
  const { run } = await openShell(t, driver)
  await run('bash', 'true', { isToYield: () => true })
  const pid = sampleProc(process.pid, 1000).pids.at(-1)!
  while (!readFileSync(`/proc/${pid}/autogroup`, 'utf8').trim().endsWith(` nice ${commandNiceness}`)) await sleep(20)
})

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
