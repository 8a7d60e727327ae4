// The escape table: what code may try from inside a sandbox, and that nothing of it comes through, for both drivers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, describe, test, type TestContext } from 'node:test'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { closeAfterwards, driversUnderTest, openShell, type Opened } from './driversUnderTest.ts'
import { sampleProc } from './processTree.ts'
import type { Command, Executed, SandboxDriver } from './sandbox.ts'

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

interface Attempt {
  tries: string
  language: Command['language']
  /** `outside` is a folder of the host beside the workspace, with a file `secret`. */
  code: (outside: string) => string
}

const reads: Attempt[] = [
  {
    tries: 'a path that climbs out',
    language: 'bash',
    code: (outside) => `
      cat ../outside/secret ../../../../../../../..${outside}/secret ${outside}/secret
      cat "/workspace/../..${outside}/secret" "/workspace/./../outside/secret" < ${outside}/secret
      find /etc /home /opt /root /run /srv /tmp /var /workspace -name secret -exec cat {} +; cat /etc/shadow /root/.bashrc`,
  },
  {
    tries: 'a path that climbs out, by python',
    language: 'python',
    code: (outside) => `
import os, glob
for path in ['../outside/secret', '${outside}/secret', *glob.glob('/*/secret'), *glob.glob('/tmp/*/*/secret')]:
    try: print(open(path).read())
    except OSError as error: print(error.errno)
print(os.environ)`,
  },
  {
    tries: 'a path that climbs out, by js',
    language: 'js',
    code: (outside) => `
      for (const path of ['../outside/secret', '${outside}/secret', '/proc/self/environ', '/proc/1/environ']) {
        try { console.log(require('fs').readFileSync(path, 'utf8')) } catch (error) { console.log(error.code) }
      }
      console.log(JSON.stringify(process.env))`,
  },
  {
    tries: 'links that lay in the workspace before',
    language: 'bash',
    code: () =>
      'cat link; cat folder/secret; cp link copy; cp -r folder copies; cd folder && cat secret; tar cf t.tar link folder; cat t.tar copy',
  },
  {
    tries: 'links that lay in the workspace before, by python',
    language: 'python',
    code: () => `
for path in ['link', 'folder/secret']:
    try: print(open(path).read())
    except OSError as error: print(error.errno)`,
  },
  {
    tries: 'links that it makes',
    language: 'bash',
    code: (outside) => `
      ln -s ${outside}/secret made; cat made; ln -s ${outside} dir; cat dir/secret; ln -s / root; cat root${outside}/secret
      ln ${outside}/secret hard; cat hard; ln link hard2; cat hard2`,
  },
  {
    tries: 'links that it makes, by python',
    language: 'python',
    code: (outside) => `
import os
for make in [os.symlink, os.link]:
    try:
        make('${outside}/secret', make.__name__)
        print(open(make.__name__).read())
    except OSError as error: print(error.errno)`,
  },
  {
    tries: 'the environment of the service',
    language: 'bash',
    code: () =>
      'env; export -p; set; echo $RUNYARD_CANARY; cat /proc/self/environ /proc/1/environ /proc/*/environ /proc/*/task/*/environ',
  },
  {
    tries: 'the processes of the host',
    language: 'bash',
    code: (outside) =>
      `cat /proc/*/root${outside}/secret /proc/*/cwd/../outside/secret ; ls -l /proc/1/fd; ps aux; kill -9 -1; kill -9 ${process.pid} ${process.ppid}`,
  },
]

const writes: Attempt[] = [
  {
    tries: 'to write outside',
    language: 'bash',
    code: (outside) => `
      echo x > ${outside}/made; echo x > ../outside/made; echo x >> ${outside}/secret; echo x > folder/made; echo x >> link
      cp /bin/ls ${outside}/; mv ${outside}/secret .; touch ${outside}/made /made /usr/made; mkdir ${outside}/dir; chmod 777 link ${outside}`,
  },
  {
    tries: 'to write outside, by python',
    language: 'python',
    code: (outside) => `
import os
for path in ['${outside}/made', '../outside/made', 'folder/made', 'link']:
    try: open(path, 'w').write('x')
    except OSError as error: print(error.errno)
try: os.rename('${outside}/secret', 'stolen')
except OSError as error: print(error.errno)`,
  },
  {
    tries: 'to write outside, by js',
    language: 'js',
    code: (outside) => `
      for (const path of ['${outside}/made', '../outside/made', 'folder/made', 'link']) {
        try { require('fs').writeFileSync(path, 'x') } catch (error) { console.log(error.code) }
      }`,
  },
  {
    tries: 'to remove everything',
    language: 'bash',
    code: (outside) => `rm -rf ${outside} ../outside folder/ /usr /etc`,
  },
]

const dials: Attempt[] = [
  {
    tries: 'loopback and metadata addresses',
    language: 'bash',
    code: () => `
      for host in 127.0.0.1 localhost 0.0.0.0 '[::ffff:127.0.0.1]'; do curl -s -m 1 http://$host:${port}/; done
      curl -s -m 1 http://169.254.169.254/latest/meta-data/ && echo reached
      (echo x > /dev/tcp/127.0.0.1/${port}) && echo reached; (echo x > /dev/tcp/169.254.169.254/80) && echo reached`,
  },
  {
    tries: 'loopback and metadata addresses, by python',
    language: 'python',
    code: () => `
import socket
for where in [('127.0.0.1', ${port}), ('0.0.0.0', ${port}), ('169.254.169.254', 80)]:
    try:
        socket.create_connection(where, timeout=1).send(b'x')
        print('reached')
    except Exception as error: print('no')`,
  },
  {
    tries: 'loopback and metadata addresses, by js',
    language: 'js',
    code: () => `
      for (const url of ['http://127.0.0.1:${port}/', 'http://localhost:${port}/', 'http://169.254.169.254/']) {
        try { await fetch(url); console.log('reached') } catch { console.log('no') }
      }`,
  },
]

const loops: Omit<Attempt, 'tries'>[] = [
  { language: 'bash', code: () => "trap '' TERM INT HUP; while true; do :; done" },
  { language: 'bash', code: () => "awk 'BEGIN { while (1) x++ }'" },
  { language: 'bash', code: () => 'sleep 600' },
  { language: 'python', code: () => 'while True: pass' },
  { language: 'python', code: () => "import re; re.match(r'^(a+)+$', 'a' * 64 + '!')" },
  { language: 'js', code: () => 'while (true) {}' },
  { language: 'js', code: () => "/^(a+)+$/.test('a'.repeat(64) + '!')" },
  { language: 'bash', code: () => 'while true; do echo endless; done' },
  { language: 'python', code: () => "while True: print('endless' * 1000)" },
]

const grows: Omit<Attempt, 'tries'>[] = [
  { language: 'python', code: () => 'a = []\nwhile True: a.append(bytearray(10_000_000))' },
  { language: 'js', code: () => 'const a = []; while (true) a.push(new Array(100000).fill(a.length))' },
]

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
  const entries = await readdir(folder, { withFileTypes: true })
  const found = entries.map((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : []
  })
  return (await Promise.all(found)).flat()
}

for (const { name, skip, make } of driversUnderTest) {
  describe(`out of ${name}`, { skip, concurrency: 4 }, async () => {
    if (skip !== false) return
    const mebibyte = 1024 * 1024
    const driver = await make()
    const narrow = await make({ limits: { fileBytesMax: 8 * mebibyte, diskBytesMax: 64 * mebibyte } })
    closeAfterwards(driver, narrow)
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()

    // proves sandbox.escape.files
    test('nothing outside the workspace is read or changed', async (t) => {
      const watched = await besideSecret(t, driver)
      for (const { tries, language, code } of [...reads, ...writes]) {
        await t.test(tries, async () => {
          await assertNothingThrough(watched, await watched.run(language, code(watched.outside)))
        })
      }
    })

    // proves sandbox.escape.network
    test('no address is reached', async (t) => {
      const watched = await besideSecret(t, driver)
      for (const { tries, language, code } of dials) {
        await t.test(tries, async () => {
          const executed = await watched.run(language, code(watched.outside))
          await assertNothingThrough(watched, executed)
          assert.doesNotMatch(executed.stdout, /reached/)
        })
      }
    })

    // proves sandbox.escape.time
    for (const { language, code } of loops) {
      test(`is cut off: ${code('')}`, async (t) => {
        const { run } = await openShell(t, driver)
        const executed = await run(language, code(''), { timeoutMs: 1000, outputBytesMax: 1000 })
        assert.equal(executed.cut_off, 'timeout')
        assert.ok(executed.duration_ms < 5000)
        assert.ok(executed.stdout.length <= 1000)
      })
    }

    // proves sandbox.escape.memory
    for (const { language, code } of grows) {
      test(`is cut off for its memory: ${code('')}`, async (t) => {
        const { run } = await openShell(t, driver)
        assert.equal((await run(language, code(''))).cut_off, 'memory')
      })
    }

    // proves sandbox.escape.memory
    test('a text that doubles and a function that calls itself come to an end', async (t) => {
      const { run } = await openShell(t, driver)
      const doubled = await run('bash', 'x=0123456789; while true; do x=$x$x; done', { timeoutMs: 2000 })
      assert.notEqual(doubled.exit_code, 0)
      const called = await run('bash', 'f() { f; }; f', { timeoutMs: 2000 })
      assert.notEqual(called.exit_code, 0)
    })

    // proves sandbox.escape.processes
    test('three hundred processes are never there, and none is left behind', async (t) => {
      const { run } = await openShell(t, driver)
      const code = 'for i in $(seq 300); do sleep 611 & done; echo "started all"; wait'
      const executed = await run('bash', code, { timeoutMs: 2000 })
      assert.notEqual(executed.cut_off, null)
      assert.doesNotMatch(executed.stdout, /started all/)
      await run('bash', 'sleep 611 & (sleep 611 &) ; setsid sleep 611 & disown -a; true', { timeoutMs: 1000 })
      assert.deepEqual(await sleepers(), [])
    })

    // proves sandbox.escape.disk
    test('no file grows beyond its limit, and the disk is not filled', async (t) => {
      const { run, folder } = await openShell(t, narrow)
      const line = 'printf %1000000s x > m; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat m >> large; done'
      await run('bash', line)
      assert.ok((await lstat(join(folder, 'large'))).size <= 8 * mebibyte)
      const many = 'cat m m m m m m > f0; i=0; while true; do i=$((i+1)); cp f0 f$i; done'
      const executed = await run('bash', many)
      assert.equal(executed.cut_off, 'died')
      assert.match(executed.stderr, /disk/)
    })

    // proves sandbox.escape.unmoved
    after(() => {
      delay.disable()
      assert.ok(delay.max < 500e6, `the service stood still for ${delay.max / 1e6} ms`)
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
