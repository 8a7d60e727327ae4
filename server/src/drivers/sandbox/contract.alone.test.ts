// What every sandbox driver promises, asked of each: of the remote one with a sandbox host in a process of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { closeAfterwards, everyDriver, never, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { nextFile } from '../../../test/kit/sandboxHosts.ts'
import { isGone, sampleProc } from './processTree.ts'
import type { Executed } from './sandbox.ts'
import { proves } from '../../../test/kit/proves.ts'

const ended = ({ exit_code, stdout, stderr, cut_off }: Executed): unknown => ({ exit_code, stdout, stderr, cut_off })
const onLinux = process.platform === 'linux' ? {} : { skip: 'looks at processes by /proc' }

for (const { name, skip, make, processesOf, foldersOf, urlOf } of await everyDriver()) {
  describe(`the driver ${name}`, { skip }, async () => {
    if (skip !== false) return
    const driver = await make()
    closeAfterwards(driver)

    proves('sandbox.languages', 'runs bash, python and js, and tells their output and exit code', async (t) => {
      const { run } = await openShell(t, driver)
      const bash = await run('bash', 'echo "it\'s ü"\necho $((6 * 7)) >&2\nexit 3')
      assert.deepEqual(ended(bash), { exit_code: 3, stdout: "it's ü\n", stderr: '42\n', cut_off: null })
      assert.equal(bash.truncated, false)
      const python = await run('python', 'import sys\nprint("it\'s \\"ü\\" $HOME `x`")\nsys.exit(4)')
      assert.deepEqual(ended(python), { exit_code: 4, stdout: 'it\'s "ü" $HOME `x`\n', stderr: '', cut_off: null })
      const js = await run('js', 'console.log("it\'s ü $HOME", await Promise.resolve(`${6 * 7}`))\nprocess.exit(5)')
      assert.deepEqual(ended(js), { exit_code: 5, stdout: "it's ü $HOME 42\n", stderr: '', cut_off: null })
      const long = await run('bash', `: '${'x'.repeat(300_000)}'\necho end`)
      assert.deepEqual(ended(long), { exit_code: 0, stdout: 'end\n', stderr: '', cut_off: null })
    })

    proves(
      'sandbox.workspace',
      'shares the folder with the command, and forgets everything else after it',
      async (t) => {
        const { run, lay, folder } = await openShell(t, driver)
        await lay('given.txt', 'given')
        const first = await run(
          'bash',
          'cat given.txt; echo changed > given.txt; mkdir d; echo new > d/made; rm -f x; mkdir e; rmdir e; X=1; echo a > /tmp/a',
        )
        assert.deepEqual(ended(first), { exit_code: 0, stdout: 'given', stderr: '', cut_off: null })
        assert.equal(await readFile(join(folder, 'given.txt'), 'utf8'), 'changed\n')
        assert.equal(await readFile(join(folder, 'd/made'), 'utf8'), 'new\n')
        await run('python', 'open("from.py", "w").write(open("d/made").read() * 2)')
        await run(
          'js',
          'require("fs").writeFileSync("/workspace/from.js", require("fs").readFileSync("from.py", "utf8"))',
        )
        const later = await run('bash', 'cat from.js; echo "[$X]"; ls /tmp /workspace')
        assert.equal(later.stdout, 'new\nnew\n[]\n/tmp:\n\n/workspace:\nd\nfrom.js\nfrom.py\ngiven.txt\n')
      },
    )

    proves('sandbox.workspace', 'copies, moves, links, dates and imports within the workspace', async (t) => {
      const { run, lay, folder } = await openShell(t, driver)
      await lay('a', 'content')
      const code =
        'cp a b; mkdir -p d/e; mv b d/e/c; cp -r d f; ln a g; chmod 700 a; touch -d 2001-02-03T00:00:00Z a; rm -r d'
      assert.deepEqual(ended(await run('bash', code)), { exit_code: 0, stdout: '', stderr: '', cut_off: null })
      assert.equal(await readFile(join(folder, 'f/e/c'), 'utf8'), 'content')
      assert.equal(await readFile(join(folder, 'g'), 'utf8'), 'content')
      const { mode, mtime } = await stat(join(folder, 'a'))
      assert.deepEqual([mode & 0o777, mtime.toISOString()], [0o700, '2001-02-03T00:00:00.000Z'])
      assert.deepEqual((await readdir(folder)).sort(), ['a', 'f', 'g'])
      await lay('answers.py', 'answer = 42')
      const python = await run('python', 'from answers import answer\nprint(answer)')
      assert.deepEqual(ended(python), { exit_code: 0, stdout: '42\n', stderr: '', cut_off: null })
    })

    proves(
      'sandbox.workspace',
      'leaves nothing of its own in the workspace, also when it is cut off while it writes',
      async (t) => {
        const { run, lay, folder } = await openShell(t, driver)
        await lay('m', 'x'.repeat(4_000_000))
        await run('bash', 'while true; do cat m m > n; done', { timeoutMs: 500 })
        const left = await readdir(folder)
        assert.deepEqual(
          left.filter((file) => file !== 'm' && file !== 'n'),
          [],
        )
      },
    )

    proves(
      'sandbox.output',
      'keeps as many bytes of output as asked, in whole characters, while the command continues',
      async (t) => {
        const { run, folder } = await openShell(t, driver)
        const code = 'for i in 1 2 3 4 5 6 7 8 9 10; do printf "ééééé"; done; printf "ab\\0c" >&2; echo on > after'
        const { stdout, stderr, truncated, exit_code } = await run('bash', code, { outputBytesMax: 25 })
        assert.deepEqual({ stdout, truncated, exit_code }, { stdout: 'é'.repeat(12), truncated: true, exit_code: 0 })
        assert.equal(stderr, 'ab\uFFFDc')
        assert.equal(await readFile(join(folder, 'after'), 'utf8'), 'on\n')
        const short = await run('bash', 'printf 12345', { outputBytesMax: 5 })
        assert.deepEqual([short.stdout, short.truncated], ['12345', false])
      },
    )

    proves(
      'sandbox.laid',
      'gives a command its variables and the folders that are laid beside its workspace',
      async (t) => {
        const { folder } = await openShell(t, driver)
        const laid = join(dirname(folder), 'laid')
        await mkdir(join(laid, 'skills/greet'), { recursive: true })
        await writeFile(join(laid, 'skills/greet/run.sh'), '#!/bin/bash\necho "hello $1 $WHO" | tee greeting\n', {
          mode: 0o555,
        })
        const shell = await driver.open({ folder, laid, signal: never })
        t.after(() => shell.close())
        const run = (code: string) =>
          shell.exec({
            language: 'bash',
            code,
            env: { WHO: 'Ada' },
            timeoutMs: 60_000,
            outputBytesMax: 1000,
            signal: never,
          })
        assert.equal((await run('/skills/greet/run.sh big; cat greeting')).stdout, 'hello big Ada\nhello big Ada\n')
        const refused = await run('rm -f /skills/greet/run.sh; touch /skills/new; cat /skills/greet/run.sh')
        assert.match(refused.stdout, /hello/)
        assert.deepEqual(await readdir(join(laid, 'skills')), ['greet'])
      },
    )

    proves('sandbox.timeout', 'cuts off what takes too long, says so, and runs the next command', async (t) => {
      const { run } = await openShell(t, driver)
      const cut = await run('bash', 'while true; do :; done', { timeoutMs: 300 })
      assert.deepEqual([cut.exit_code, cut.cut_off], [124, 'timeout'])
      assert.match(cut.stderr, /^Stopped after 0\.3 s\./m)
      assert.equal((await run('bash', 'echo again')).stdout, 'again\n')
    })

    proves(
      'sandbox.abort',
      'rejects with the reason of the signal once nothing of the command lives, and runs the next one',
      async (t) => {
        const { run, shell, folder } = await openShell(t, driver)
        const stop = new AbortController()
        await run('bash', 'true')
        const begun = nextFile(await foldersOf(driver, folder), 'begun')
        const running = run('bash', 'echo > begun; while true; do :; done', { signal: stop.signal })
        await assert.rejects(run('bash', 'true'), /one command at a time/)
        await begun
        const processes = living(processesOf(driver))
        const reason = new Error('not wanted any more')
        stop.abort(reason)
        await assert.rejects(running, reason)
        for (const pid of processes) assert.ok(isGone(pid), `${pid} lives`)
        assert.equal((await run('bash', 'echo again')).stdout, 'again\n')
        await shell.close()
        await assert.rejects(run('bash', 'true'), /closed/)
      },
    )

    proves(
      'sandbox.places',
      'opens as many shells as allowed and lets the next wait until one is closed or it is given up',
      async (t) => {
        const small = await make({ shellsMax: 1 })
        t.after(() => small.close())
        const first = await openShell(t, small)
        const stop = new AbortController()
        const givenUp = small.open({ folder: first.folder, signal: stop.signal })
        const waiting = small.open({ folder: first.folder, signal: never })
        stop.abort(new Error('given up'))
        await assert.rejects(givenUp, /given up/)
        const order: string[] = []
        const opened = waiting.then((shell) => (order.push('opened'), shell))
        await first.run('bash', 'true')
        order.push('closing')
        await first.shell.close()
        await (await opened).close()
        assert.deepEqual(order, ['closing', 'opened'])
      },
    )

    proves('sandbox.close', 'ends every shell when it is closed, with all that runs', async (t) => {
      const own = await make()
      const { run, folder } = await openShell(t, own)
      await run('bash', 'true')
      const begun = nextFile(await foldersOf(own, folder), 'begun')
      const rejected = assert.rejects(run('bash', 'echo > begun; sleep 600'), /closed while the command ran/)
      await begun
      const processes = living(processesOf(own))
      await own.close()
      await rejected
      for (const pid of processes) assert.ok(isGone(pid), `${pid} lives`)
      await assert.rejects(own.open({ folder: '/nowhere', signal: never }), /closed/)
    })

    proves('sandbox.orphans', 'leaves nothing running when the service is killed', onLinux, async (t) => {
      const { folder, run } = await openShell(t, driver)
      await run('bash', 'true')
      const others = new Set(processesOf(driver))
      const service = spawn(process.execPath, ['--input-type=module', '-e', serviceCode(name, folder)], {
        // what it cannot clear away any more goes with the folder of the test
        env: { ...process.env, TMPDIR: dirname(folder), ...(urlOf && { RUNYARD_TEST_SANDBOX_HOST: urlOf(driver) }) },
        stdio: 'pipe',
      })
      t.after(() => service.kill('SIGKILL'))
      await once(service.stdout, 'data')
      const begun = nextFile(await foldersOf(driver, folder), 'begun')
      service.stdin.write('go')
      await begun
      // with a sandbox host, none of its commands is below it
      const elsewhere = urlOf ? living(processesOf(driver).filter((pid) => !others.has(pid))) : []
      const processes = [...elsewhere, ...sampleProc(service.pid!, 1000).pids]
      assert.ok(processes.length > 1)
      service.kill('SIGKILL')
      // a test that fails here hangs until its time limit: there is no moment by which the kernel must be done
      while (!processes.every(isGone)) await pause(10)
    })

    proves(
      'sandbox.hosts',
      'reaches listed hosts through the guard, and no other, also not by a redirect',
      async (t) => {
        const asked: string[] = []
        const server = createServer((request, response) => {
          asked.push(request.url!)
          if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/secret' })
          response.end('hello')
        })
        const other = createServer((_request, response) => response.end(asked.push('other')))
        t.after(() => (server.close(), other.close()))
        const [port, otherPort] = await Promise.all([server, other].map(listen))
        const reaching = await make({ hosts: [`127.0.0.1:${port}`] })
        t.after(() => reaching.close())
        const { run } = await openShell(t, reaching)
        const said = async (url: string): Promise<string> => {
          const code = `try { const r = await fetch('${url}'); console.log(r.status, await r.text()) } catch { console.log('failed') }`
          return (await run('js', code)).stdout.trim()
        }
        assert.equal(await said(`http://127.0.0.1:${port}/here`), '200 hello')
        assert.doesNotMatch(await said(`http://127.0.0.1:${port}/away`), /200|hello/)
        assert.doesNotMatch(await said(`http://127.0.0.1:${otherPort}/`), /200/)
        assert.doesNotMatch(await said('http://169.254.169.254/'), /200/)
        assert.deepEqual(asked, ['/here', '/away'])
      },
    )
  })
}

/** There are some, on a system that shows them. */
function living(processes: number[]): number[] {
  if (process.platform === 'linux') assert.ok(processes.length > 0)
  return processes
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A process with a sandbox, which says so, and then runs a loop without end in it when it hears something. */
function serviceCode(name: string, folder: string): string {
  const drivers = new URL('../../../test/kit/sandboxDrivers.ts', import.meta.url).href
  return `
    const { everyDriver, never } = await import('${drivers}')
    const driver = await (await everyDriver()).find((one) => one.name === '${name}').make()
    const shell = await driver.open({ folder: ${JSON.stringify(folder)}, signal: never })
    const wanted = { language: 'bash', timeoutMs: 600000, outputBytesMax: 1000, signal: never }
    await shell.exec({ ...wanted, code: 'true' })
    console.log('ready')
    process.stdin.once('data', () => shell.exec({ ...wanted, code: 'echo > begun; while true; do :; done' }))`
}
