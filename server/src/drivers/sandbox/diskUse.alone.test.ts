// Who fills the disk: a command is stopped for its own files, not for those of others.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '../../../test/kit/proves.ts'
import { mayHoldBytes } from './diskUse.ts'

const mebibyte = 1024 * 1024
const onLinux: { skip?: string } = process.platform === 'linux' ? {} : { skip: 'looks at processes by /proc' }

proves(
  'sandbox.escape.disk',
  'the files of its folder count for a command, and those that it deleted while they were in use, and no others',
  onLinux,
  async (t) => {
    const parent = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    t.after(() => rm(parent, { recursive: true }))
    const folder = join(parent, 'workspace')
    await mkdir(join(folder, 'deep/er'), { recursive: true })
    await writeFile(join(folder, 'deep/er/file'), Buffer.alloc(3 * mebibyte, 1))
    await writeFile(join(parent, 'of another'), Buffer.alloc(9 * mebibyte, 1))
    const mayHold = (mebibytes: number) => mayHoldBytes({ folder, pids: [process.pid] }, mebibytes * mebibyte)
    assert.deepEqual([await mayHold(2), await mayHold(4)], [true, false])
    const deleted = await open(join(folder, 'deleted'), 'w')
    t.after(() => deleted.close())
    await deleted.write(Buffer.alloc(3 * mebibyte, 1))
    await rm(join(folder, 'deleted'))
    assert.deepEqual([await mayHold(5), await mayHold(8)], [true, false])
    // whoever deletes a program that runs still has it on the disk
    const program = join(folder, 'program')
    await copyFile('/bin/sleep', program)
    const running = spawn(program, ['600'])
    t.after(() => running.kill())
    await once(running, 'spawn')
    await rm(program)
    assert.equal(await mayHoldBytes({ folder, pids: [running.pid!] }, 100 * mebibyte), true)
  },
)

proves(
  'sandbox.escape.disk',
  'what a command hides from us counts as too much',
  { skip: onLinux.skip ?? (process.getuid?.() === 0 && 'root sees every folder') },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'runyard-test-'))
    const closed = join(folder, 'closed')
    t.after(async () => {
      await chmod(closed, 0o700)
      await rm(folder, { recursive: true })
    })
    await mkdir(closed)
    assert.equal(await mayHoldBytes({ folder, pids: [] }, mebibyte), false)
    await chmod(closed, 0o000)
    assert.equal(await mayHoldBytes({ folder, pids: [] }, mebibyte), true)
  },
)
