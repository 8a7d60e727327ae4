// A process for suspects whose main thread hangs ends when its parent was killed, although nobody is left who would end it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { isAlive } from '../base/isAlive.ts'
import { proves } from '../../test/kit/proves.ts'

const folder = await mkdtemp(join(tmpdir(), 'runyard-parent-'))
after(() => rm(folder, { recursive: true, force: true }))
const child = join(folder, 'child.mjs')
const parent = join(folder, 'parent.mjs')
await writeFile(
  child,
  `import { watchParent } from ${JSON.stringify(new URL('./parentWatch.ts', import.meta.url).href)}
watchParent()
process.send('hangs now', () => { for (;;); })
`,
)
await writeFile(
  parent,
  `import { fork } from 'node:child_process'
const child = fork(${JSON.stringify(child)})
child.on('message', () => process.stdout.write(String(child.pid)))
`,
)

proves('alone.orphan', 'a hanging process ends itself when its parent was killed', async () => {
  const started = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = (await once(started.stdout, 'data')).map(Number)
  try {
    assert.ok(isAlive(pid!))
    started.kill('SIGKILL')
    await once(started, 'exit')
    const deadline = performance.now() + 60_000
    while (isAlive(pid!)) {
      assert.ok(performance.now() < deadline, 'it outlived its parent by a minute')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    if (isAlive(pid!)) process.kill(pid!, 'SIGKILL')
  }
})
