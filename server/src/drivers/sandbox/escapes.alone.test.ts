// The escape table: what code may try from inside a sandbox, and that nothing of it comes through, for both drivers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { assertWithin } from '../../../test/kit/quietMachine.ts'
import { dials, grows, loops, reads, writes } from '../../../test/hostile/escapeAttempts.ts'
import { closeAfterwards, driversUnderTest, openShell, type Opened } from '../../../test/kit/sandboxDrivers.ts'
import { sampleProc } from './processTree.ts'
import type { Command, Executed, SandboxDriver } from './sandbox.ts'
import { proves, provesTogether } from '../../../test/kit/proves.ts'

const canary = 'canary-7f3a91c2'
process.env['RUNYARD_CANARY'] = canary

let connections = 0
const listener = createServer((socket) => {
  connections += 1
  socket.destroy()
})
listener.listen(0, '127.0.0.1')
await once(listener, 'listening')
const { port } = listener.address() as AddressInfo
after(() => listener.close())

/** Each command of Python loads its WebAssembly anew, so the short form has one: the one that reads files. */
const isTried = ({ language }: Pick<Command, 'language'>): boolean => isLongForm || language !== 'python'

interface Watched extends Opened {
  outside: string
}

/** A shell over a workspace beside a secret, with links to it. */
async function besideSecret(t: TestContext, driver: SandboxDriver): Promise<Watched> {
  const opened = await openShell(t, driver)
  const outside = join(dirname(opened.folder), 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'secret'), canary)
  await symlink(join(outside, 'secret'), join(opened.folder, 'link'))
  await symlink(outside, join(opened.folder, 'folder'))
  return { ...opened, outside }
}

/** The secret is where it was and as it was, and neither in what the attempt said nor in what it left. */
async function assertNothingThrough({ folder, outside }: Watched, { stdout, stderr }: Executed): Promise<void> {
  assert.equal(`${stdout}${stderr}`.includes(canary), false, stdout)
  assert.deepEqual(await readdir(outside), ['secret'])
  assert.equal(await readFile(join(outside, 'secret'), 'utf8'), canary)
  for (const path of await filesBelow(folder)) {
    assert.equal((await readFile(path, 'latin1')).includes(canary), false, path)
  }
  assert.equal(connections, 0)
}

/** Without following a link, as readdir would. */
async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await filesBelow(path)))
    else if (entry.isFile()) found.push(path)
  }
  return found
}

for (const { name, skip, make } of await driversUnderTest()) {
  provesTogether('sandbox.escape.unmoved', `out of ${name}`, { skip, concurrency: 6 }, async () => {
    if (skip !== false) return
    const mebibyte = 1024 * 1024
    const driver = await make()
    const narrow = await make({ limits: { fileBytesMax: 8 * mebibyte, diskBytesMax: 64 * mebibyte } })
    closeAfterwards(driver, narrow)
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()

    proves('sandbox.escape.files', 'nothing outside the workspace is read or changed', async (t) => {
      const watched = await besideSecret(t, driver)
      for (const { tries, language, code } of [...reads, ...writes]) {
        await t.test(tries, async () => {
          const executed = await watched.run(language, code(watched.outside))
          await assertNothingThrough(watched, executed)
          // it came to its end: these catch every refusal
          if (language !== 'bash') assert.equal(executed.exit_code, 0, executed.stderr)
          assert.equal(executed.cut_off, null)
        })
      }
    })

    proves('sandbox.escape.network', 'no address is reached', async (t) => {
      const watched = await besideSecret(t, driver)
      for (const { tries, language, code } of dials(port).filter(isTried)) {
        await t.test(tries, async () => {
          const executed = await watched.run(language, code(watched.outside))
          await assertNothingThrough(watched, executed)
          assert.doesNotMatch(executed.stdout, /reached/)
        })
      }
    })

    for (const { language, code } of loops.filter(isTried)) {
      proves('sandbox.escape.time', `is cut off: ${code}`, async (t) => {
        const { run } = await openShell(t, driver)
        const executed = await run(language, code, { timeoutMs: 300, outputBytesMax: 1000 })
        assert.equal(executed.cut_off, 'timeout')
        assertWithin('the cut-off', executed.duration_ms, 5000)
        assert.ok(executed.stdout.length <= 1000)
      })
    }

    for (const { language, code } of grows.filter(isTried)) {
      proves('sandbox.escape.memory', `is cut off for its memory: ${code}`, async (t) => {
        const { run } = await openShell(t, driver)
        assert.equal((await run(language, code)).cut_off, 'memory')
      })
    }

    proves(
      'sandbox.escape.memory',
      'a text that doubles and a function that calls itself come to an end',
      async (t) => {
        const { run } = await openShell(t, driver)
        const doubled = await run('bash', 'x=0123456789; while true; do x=$x$x; done', { timeoutMs: 1000 })
        assert.notEqual(doubled.exit_code, 0)
        const called = await run('bash', 'f() { f; }; f', { timeoutMs: 1000 })
        assert.notEqual(called.exit_code, 0)
      },
    )

    proves(
      'sandbox.escape.processes',
      'three hundred processes are never there, and none is left behind',
      async (t) => {
        const { run } = await openShell(t, driver)
        const code = 'for i in $(seq 300); do sleep 611 & done; echo "started all"; wait'
        const executed = await run('bash', code, { timeoutMs: 1500 })
        assert.notEqual(executed.cut_off, null)
        assert.doesNotMatch(executed.stdout, /started all/)
        await run('bash', 'sleep 611 & (sleep 611 &) ; setsid sleep 611 & disown -a; true', { timeoutMs: 1000 })
        assert.deepEqual(await sleepers(), [])
      },
    )

    proves('sandbox.escape.disk', 'no file grows beyond its limit, and the disk is not filled', async (t) => {
      const { run, folder } = await openShell(t, narrow)
      const line = 'printf %1000000s x > m; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat m >> large; done'
      await run('bash', line)
      assert.ok((await lstat(join(folder, 'large'))).size <= 8 * mebibyte)
      const many = 'cat m m m m m m > f0; i=0; while true; do i=$((i+1)); cp f0 f$i; done'
      const executed = await run('bash', many)
      assert.equal(executed.cut_off, 'died')
      assert.match(executed.stderr, /disk/)
    })

    after(() => {
      delay.disable()
      assertWithin('the service stood still', delay.max / 1e6, 500)
    })
  })
}

/** Processes below this one that are the sleep of a test. */
async function sleepers(): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const found: number[] = []
  for (const pid of sampleProc(process.pid, 1000).pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('611')) found.push(pid)
  }
  return found
}
