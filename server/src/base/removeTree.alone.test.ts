// What commands left is removed, whatever they did to keep it, and nothing beside it is touched.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '../../test/kit/proves.ts'
import { withoutRights } from '../../test/kit/withoutRights.ts'
import { lstatReadable } from './readable.ts'
import { emptyFolder, removeTree } from './removeTree.ts'

const onlyPosix = { skip: process.platform === 'win32' && 'there are no such permissions' }

const newFolder = async (): Promise<string> => mkdtemp(join(await realpath(tmpdir()), 'runyard-test-'))

proves('sandbox.closed', 'a tree goes with the folders that are closed to their owner', onlyPosix, () =>
  withoutRights(async () => {
    const parent = await newFolder()
    const tree = join(parent, 'tree')
    for (const [name, mode] of Object.entries({ unwritable: 0o555, unreadable: 0o333, closed: 0o000 })) {
      await mkdir(join(tree, name, 'inner'), { recursive: true })
      await writeFile(join(tree, name, 'file'), '', { mode: 0o000 })
      await chmod(join(tree, name, 'inner'), mode)
      await chmod(join(tree, name), mode)
    }
    await chmod(tree, 0o555)
    await removeTree(tree)
    assert.deepEqual(await readdir(parent), [])
    // what is gone already, and what is no folder
    await removeTree(tree)
    await writeFile(tree, '')
    await removeTree(tree)
    await removeTree(parent)
  }),
)

proves('sandbox.closed', 'a link is removed and not followed, nor is what it leads to opened up', onlyPosix, () =>
  withoutRights(async () => {
    const parent = await newFolder()
    const [tree, outside] = [join(parent, 'tree'), join(parent, 'outside')]
    await mkdir(join(tree, 'in'), { recursive: true })
    await mkdir(outside)
    await writeFile(join(outside, 'kept'), '')
    await chmod(outside, 0o555)
    await symlink(outside, join(tree, 'link'))
    await symlink(outside, join(tree, 'in/link'))
    assert.equal(await emptyFolder(tree), 3)
    await symlink(outside, join(parent, 'link'))
    assert.equal((await lstatReadable(join(parent, 'link'))).isSymbolicLink(), true)
    await removeTree(join(parent, 'link'))
    assert.equal((await stat(outside)).mode & 0o777, 0o555)
    assert.deepEqual((await readdir(parent, { recursive: true })).toSorted(), ['outside', 'outside/kept', 'tree'])
    await removeTree(parent)
  }),
)

proves('sandbox.closed', 'a tree goes that is nested deeper than a path can name', onlyPosix, async () => {
  const parent = await newFolder()
  const from = process.cwd()
  for (const name of ['a', 'b']) {
    process.chdir(parent)
    // each level is reached from the one above it, as a command does
    for (let level = 0; level < 700; level += 1) {
      mkdirSync(`deep-${name}`)
      process.chdir(`deep-${name}`)
      writeFileSync('file', '')
    }
  }
  process.chdir(from)
  assert.equal(await emptyFolder(parent), 2800)
  assert.deepEqual(await readdir(parent), [])
  await removeTree(parent)
})
