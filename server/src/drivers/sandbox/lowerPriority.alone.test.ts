// Commands in sandboxes run at a lower CPU priority than the service.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bubblewrapCall } from './bubblewrapArguments.ts'
import { closeAfterwards, driversUnderTest, never, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { commandsBelow } from '../../../test/kit/sandboxHosts.ts'
import { commandNiceness, lowestNiceness } from './lowerPriority.ts'
import { sampleProc } from './processTree.ts'
import { usualLimits } from './sandbox.ts'
import { proves } from '../../../test/kit/proves.ts'

const [justBash, bubblewrap] = await driversUnderTest()
const noAutogroups = existsSync('/proc/self/autogroup')
  ? false
  : 'this system does not share the processor between sessions'

/** A shell of just-bash whose child has started, and the number of that child. */
async function startJustBash(t: TestContext) {
  const driver = await justBash.make()
  closeAfterwards(driver)
  const { run, lay } = await openShell(t, driver)
  await run('bash', 'true')
  const [, ...children] = sampleProc(process.pid, 1000).pids
  assert.equal(children.length, 1)
  return { run, lay, pid: children[0]! }
}

/** The session of a process, as Linux shares the processor between them, and its niceness. */
function sessionOf(pid: number): { name: string; niceness: number } {
  const [name, niceness] = readFileSync(`/proc/${pid}/autogroup`, 'utf8').trim().split(' nice ')
  return { name: name!, niceness: Number(niceness) }
}

proves(
  'pools.priority',
  'the child that runs commands of just-bash has a lower CPU priority than the service',
  async (t) => {
    const { pid } = await startJustBash(t)
    assert.equal(getPriority(pid), commandNiceness)
    assert.ok(getPriority() < commandNiceness)
  },
)

proves(
  'pools.priority',
  'commands of just-bash have a session of their own, and Linux gives all of it the lower CPU priority',
  { skip: noAutogroups },
  async (t) => {
    const { pid } = await startJustBash(t)
    assert.notEqual(sessionOf(pid).name, sessionOf(process.pid).name)
    assert.equal(sessionOf(pid).niceness, commandNiceness)
  },
)

proves(
  'pools.priority',
  'a command of a team that used more than its share gets the lowest CPU priority until it ends',
  { skip: noAutogroups },
  async (t) => {
    const { run, lay, pid } = await startJustBash(t)
    // the kernel tells nobody when it has taken a new value
    const reached = async (wanted: number) => {
      while (sessionOf(pid).niceness !== wanted) await sleep(20)
    }
    let asked = 0
    const command = run('bash', 'until [ -e go ]; do sleep 0.1; done', { isToYield: () => (asked += 1) > 1 })
    assert.equal(sessionOf(pid).niceness, commandNiceness)
    await reached(lowestNiceness)
    assert.equal(asked, 2, 'it stays so, and nobody asks again')
    await lay('go', '')
    assert.equal((await command).exit_code, 0)
    await reached(commandNiceness)
  },
)

proves(
  'pools.priority',
  'a command in bubblewrap finds itself at the lower CPU priority',
  { skip: bubblewrap.skip },
  async (t) => {
    const driver = await bubblewrap.make()
    closeAfterwards(driver)
    const { run } = await openShell(t, driver)
    assert.equal((await run('bash', 'nice')).stdout.trim(), String(commandNiceness))
  },
)

/** The niceness of each session of the commands below this process. */
function nicenessBelow(): number[] {
  const sessions = new Map<string, number>()
  for (const pid of commandsBelow(process.pid)) {
    try {
      const { name, niceness } = sessionOf(pid)
      sessions.set(name, niceness)
    } catch {
      // it has just ended
    }
  }
  return [...sessions.values()]
}

/** The kernel tells nobody when it has taken a new value. */
async function reachedBelow(wanted: number[]): Promise<void> {
  while (nicenessBelow().join(' ') !== wanted.join(' ')) await sleep(20)
}

proves(
  'pools.priority',
  'every session of a command in bubblewrap has the lower CPU priority, also one that the command opens, whatever it tries, and the lowest once its team used more than its share',
  { skip: bubblewrap.skip || noAutogroups },
  async (t) => {
    const driver = await bubblewrap.make()
    closeAfterwards(driver)
    const { run, lay } = await openShell(t, driver)
    const wait = 'until [ -e /workspace/go ]; do sleep 0.1; done'
    const raise = 'echo 0 > /proc/self/autogroup'
    const code = `setsid bash -c '${raise}; ${wait}' & ${raise}; ${wait}; wait`
    let isAhead = false
    const command = run('bash', code, { isToYield: () => isAhead })
    await reachedBelow([commandNiceness, commandNiceness])
    isAhead = true
    await reachedBelow([lowestNiceness, lowestNiceness])
    await lay('go', '')
    assert.equal((await command).exit_code, 0)
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
