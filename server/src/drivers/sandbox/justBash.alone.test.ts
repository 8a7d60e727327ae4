// The walls behind the interpreter of just-bash: Node's permissions, a bounded channel, a child that may die.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { childFlags } from './childFlags.ts'
import { closeAfterwards, driversUnderTest, openShell } from '../../../test/kit/sandboxDrivers.ts'
import { readJsonLines } from './jsonLines.ts'
import { sampleProc } from './processTree.ts'
import { proves } from '../../../test/kit/proves.ts'

const [justBash] = await driversUnderTest()
const driver = await justBash.make()
closeAfterwards(driver)
const children = (): number[] => sampleProc(process.pid, 1000).pids.slice(1)

proves(
  'sandbox.permissions',
  'plain code in the place of the interpreter is refused everything outside the workspace',
  async (t) => {
    const parent = await mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))
    t.after(() => rm(parent, { recursive: true }))
    const folder = join(parent, 'workspace')
    // the second begins like the first: a comparison of beginnings would let it through
    for (const path of [folder, `${folder}-2`]) {
      await mkdir(path)
      await writeFile(join(path, 'secret'), 'secret')
    }
    const code = `
    const fs = require('fs')
    const outside = ${JSON.stringify(`${folder}-2`)}, inside = ${JSON.stringify(folder)}
    const attempts = {
      inside: () => fs.readFileSync(inside + '/secret', 'utf8'),
      read: () => fs.readFileSync(outside + '/secret', 'utf8'),
      climb: () => fs.readFileSync(inside + '/../workspace-2/secret', 'utf8'),
      list: () => fs.readdirSync(outside),
      stat: () => fs.statSync(outside + '/secret').size,
      open: () => fs.openSync(outside + '/secret', 'r'),
      write: () => fs.writeFileSync(outside + '/made', 'x'),
      rename: () => fs.renameSync(outside + '/secret', inside + '/stolen'),
      link: () => fs.linkSync(outside + '/secret', inside + '/hard'),
      symlink: () => fs.symlinkSync(outside + '/secret', inside + '/soft'),
      environ: () => fs.readFileSync('/proc/self/environ', 'utf8'),
      passwd: () => fs.readFileSync('/etc/passwd', 'utf8'),
      process: () => require('child_process').execFileSync('/bin/true'),
      addon: () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6'),
    }
    const said = {}
    for (const [name, attempt] of Object.entries(attempts)) {
      try { said[name] = attempt() ?? 'done' } catch (error) { said[name] = error.code ?? String(error) }
    }
    console.log(JSON.stringify({ ...said, environment: Object.keys(process.env) }))`
    const child = spawn(process.execPath, [...childFlags(folder), '-e', code], { env: {}, cwd: folder })
    const { inside, environment, ...others } = JSON.parse(await text(child.stdout)) as Record<string, unknown>
    assert.equal(inside, 'secret')
    assert.deepEqual(environment, [])
    assert.equal(Object.keys(others).length, 13)
    for (const [name, said] of Object.entries(others)) {
      assert.ok(['ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED'].includes(said as string), `${name}: ${String(said)}`)
    }
    assert.deepEqual(await readdir(`${folder}-2`), ['secret'])
    assert.deepEqual(await readdir(folder), ['secret'])
  },
)

proves(
  'sandbox.exec',
  'a thread that waits for an answer sleeps through a bell that comes too late for the one before',
  async (t) => {
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))
    t.after(() => rm(folder, { recursive: true }))
    const code = `
    const { Worker } = require('worker_threads')
    const cells = new Int32Array(new SharedArrayBuffer(4))
    const waits = 'const { workerData, parentPort } = require("worker_threads");' +
      'Atomics.wait(workerData, 0, 0, 20_000); parentPort.postMessage(Atomics.load(workerData, 0))'
    let heard = 0
    new Worker(waits, { eval: true, workerData: cells }).on('message', (seen) => {
      console.log(JSON.stringify({ heard, seen }))
      process.exit()
    })
    setInterval(() => {
      // heard twice: it was woken, and waits again
      if (heard === 2) Atomics.store(cells, 0, 1)
      heard += Atomics.notify(cells, 0)
    }, 1)`
    const child = spawn(process.execPath, [...childFlags(folder), '-e', code], { env: {}, cwd: folder })
    const { heard, seen } = JSON.parse(await text(child.stdout)) as { heard: number; seen: number }
    // the third bell may ring while it is awake: then it sees the answer before it waits again
    assert.ok(heard === 2 || heard === 3, `heard ${heard}`)
    assert.equal(seen, 1)
  },
)

proves('sandbox.channel', 'a child that talks without end, or nonsense, is given up, and nothing of it is kept', () => {
  for (const nonsense of [
    'x'.repeat(3000),
    `${'x'.repeat(3000)}\n`,
    '{"half":\n',
    `{"fine":1}\n${'1'.repeat(2000)}\n`,
  ]) {
    const stream = new PassThrough()
    const heard: unknown[] = []
    let givenUp = 0
    readJsonLines({
      stream,
      lineBytesMax: 1000,
      onValue: (value) => heard.push(value),
      onNonsense: () => (givenUp += 1),
    })
    for (let at = 0; at < nonsense.length; at += 300) stream.emit('data', Buffer.from(nonsense.slice(at, at + 300)))
    assert.equal(givenUp, 1)
    assert.deepEqual(heard, nonsense.includes('fine') ? [{ fine: 1 }] : [])
    assert.equal(stream.listenerCount('data'), 0)
  }
})

proves(
  'sandbox.warm',
  'a shell keeps one child warm, and starts another when it has died between commands',
  async (t) => {
    if (process.platform !== 'linux') return t.skip('finds the child by /proc')
    const { run } = await openShell(t, driver)
    await run('bash', 'true')
    const warm = children()
    assert.equal(warm.length, 1)
    await run('bash', 'true')
    assert.deepEqual(children(), warm)
    process.kill(warm[0]!, 'SIGKILL')
    while (children().length > 0) await pause(5)
    assert.equal((await run('bash', 'echo alive')).stdout, 'alive\n')
    assert.notDeepEqual(children(), warm)
  },
)
