// What is carried between two folders: all of it or nothing, and never beside the folder.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { proves } from '../../../../test/kit/proves.ts'
import { changesOf, NoRoom, receiveChanges } from './carryFolder.ts'
import { changesBetween, seeFolder, type FolderState } from './folderState.ts'
import { BrokenStream, lineOf, readFrames } from './frames.ts'

const mebibyte = 1024 * 1024

async function folders(t: TestContext): Promise<{ from: string; to: string; parent: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'runyard-test-'))
  t.after(() => rm(parent, { recursive: true }))
  for (const name of ['from', 'to']) await mkdir(join(parent, name))
  return { from: join(parent, 'from'), to: join(parent, 'to'), parent }
}

const reading = (pieces: Iterable<Buffer> | AsyncIterable<Buffer>) =>
  readFrames(Readable.from(pieces, { objectMode: false }), 4 * mebibyte)

async function carry(from: string, before: FolderState, to: string, state: FolderState): Promise<FolderState> {
  const seen = await seeFolder(from)
  const changes = changesBetween(before, seen.state)
  await receiveChanges(reading(changesOf(from, seen.state, changes)), { root: to, state, owner: undefined }, mebibyte)
  return seen.state
}

proves(
  'sandbox.remote.files',
  'a folder becomes equal to another, and only what changed is carried again',
  async (t) => {
    const { from, to } = await folders(t)
    const state: FolderState = new Map()
    await mkdir(join(from, 'a/b'), { recursive: true })
    await mkdir(join(from, 'empty'))
    await writeFile(join(from, 'a/b/c'), 'x'.repeat(300_000), { mode: 0o751 })
    await writeFile(join(from, 'kept'), 'kept')
    await symlink('a/b/c', join(from, 'link'))
    const first = await carry(from, new Map(), to, state)
    assert.equal(await readFile(join(to, 'a/b/c'), 'utf8'), 'x'.repeat(300_000))
    assert.equal((await stat(join(to, 'a/b/c'))).mode & 0o777, (await stat(join(from, 'a/b/c'))).mode & 0o777)
    assert.equal(await readlink(join(to, 'link')), 'a/b/c')
    const { ino } = await stat(join(to, 'kept'))

    // a folder becomes a file, a file a folder, a link a file
    for (const name of ['a', 'link']) await rm(join(from, name), { recursive: true })
    await writeFile(join(from, 'a'), 'now a file')
    await mkdir(join(from, 'link'))
    await writeFile(join(from, 'link/in'), 'in')
    await carry(from, first, to, state)
    assert.deepEqual((await readdir(to, { recursive: true })).sort(), ['a', 'empty', 'kept', 'link', 'link/in'])
    assert.equal((await stat(join(to, 'kept'))).ino, ino)
    // what is known of the folder is what a look at it shows
    assert.deepEqual(state, (await seeFolder(to)).state)
  },
)

proves('sandbox.remote.room', 'zeros take no room on the other side, wherever they are', async (t) => {
  const { from, to } = await folders(t)
  await writeFile(join(from, 'sparse'), 'begin')
  await truncate(join(from, 'sparse'), 512 * 1024)
  await writeFile(join(from, 'sparse'), 'middle', { flag: 'a' })
  await truncate(join(from, 'sparse'), mebibyte)
  await carry(from, new Map(), to, new Map())
  assert.ok((await readFile(join(to, 'sparse'))).equals(await readFile(join(from, 'sparse'))))
  // a piece of a stream has 64 KiB or more
  if (process.platform === 'linux') assert.ok((await stat(join(to, 'sparse'))).blocks * 512 <= mebibyte / 2)
})

proves(
  'sandbox.remote.room',
  'what would take more than half of what is free is refused before it comes',
  async (t) => {
    const { to, parent } = await folders(t)
    const huge = lineOf({ file: 'huge', size: 2 ** 50, mode: 0o644, mtime_ms: 0 })
    const target = { root: to, state: new Map(), owner: undefined }
    await assert.rejects(receiveChanges(reading([...file('new', 'new'), huge]), target, 2 ** 51), NoRoom)
    assert.deepEqual(await readdir(parent, { recursive: true }), ['from', 'to'])
  },
)

const file = (path: string, content: string): Buffer[] => [
  lineOf({ file: path, size: content.length, mode: 0o644, mtime_ms: 0 }),
  Buffer.from(content),
]

proves('sandbox.remote.hostile', 'a stream that breaks, lies or leads out changes nothing', async (t) => {
  const { to, parent } = await folders(t)
  await writeFile(join(to, 'kept'), 'kept')
  await mkdir(join(parent, 'outside'))
  await symlink(join(parent, 'outside'), join(to, 'out'))
  const end = lineOf({ end: true })
  const good = file('new', 'new')
  const cases: Buffer[][] = [
    good,
    [...good, ...file('../beside', 'x'), end],
    [...good, ...file('/etc/x', 'x'), end],
    [...good, ...file('a/../../x', 'x'), end],
    [...good, ...file('a//b', 'x'), end],
    [...good, ...file('nul\0', 'x'), end],
    [...good, lineOf({ file: 'large', size: 2 * mebibyte, mode: 0o644, mtime_ms: 0 }), end],
    [...good, lineOf({ file: 'minus', size: -1, mode: 0o644, mtime_ms: 0 }), end],
    [...good, lineOf({ file: 'setuid', size: 0, mode: 0o4755, mtime_ms: 0 }), end],
    [...good, lineOf({ gone: 7 }), end],
    [...good, lineOf({ link: 'l', target: '' }), end],
    [...good, Buffer.from('no json\n'), end],
  ]
  for (const pieces of cases) {
    const target = { root: to, state: new Map(), owner: undefined }
    await assert.rejects(receiveChanges(reading(pieces), target, mebibyte), BrokenStream)
    assert.deepEqual((await readdir(to)).sort(), ['kept', 'out'])
  }
  // through a link that is there: refused when it is applied, and nothing is written outside
  await assert.rejects(
    receiveChanges(reading([...file('out/x', 'x'), end]), { root: to, state: new Map(), owner: undefined }, mebibyte),
  )
  await assert.rejects(
    receiveChanges(
      reading([lineOf({ link: 'made', target: join(parent, 'outside') }), ...file('made/x', 'x'), end]),
      { root: to, state: new Map(), owner: undefined },
      mebibyte,
    ),
  )
  assert.deepEqual(await readdir(join(parent, 'outside')), [])
  assert.deepEqual((await readdir(parent)).sort(), ['from', 'outside', 'to'])
})
