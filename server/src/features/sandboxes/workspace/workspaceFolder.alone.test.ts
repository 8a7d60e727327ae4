// A workspace in a folder: what is laid out is what the manifest says, what changed is found, and nothing leads out of the folder.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
  lstat,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { isRoot } from '../../../base/accounts.ts'
import { newId } from '../../../base/ids.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { CannotSave } from '../../../kit/tool.ts'
import { recordChanges } from './changes.ts'
import { bringTo } from './bringTo.ts'
import { findChanges } from './findChanges.ts'
import { blobsOn } from '../../../drivers/blobs/blobsOn.ts'
import { sweepBlobs } from '../../../drivers/blobs/sweepBlobs.ts'
import { clearFolder, openWorkspaceFolder, propose, type WorkspaceFolder } from './workspaceFolder.ts'
import type { WorkspaceRef } from './workspace.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { withoutRights } from '../../../../test/kit/withoutRights.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)
const above = await mkdtemp(join(tmpdir(), 'runyard layout test '))
after(() => rm(above, { recursive: true }))
const never = new AbortController().signal

async function newPlace(): Promise<WorkspaceRef> {
  const sandbox_id = newId()
  await db.sql`insert into sandboxes (id, team_id) values (${sandbox_id}, ${team.id})`
  return { sandbox_id, team_id: team.id }
}

const disk = { sql: db.sql, blobs: blobsOn(db.sql), charge: () => undefined, owner: undefined }

async function layOut(place: WorkspaceRef, charge: WorkspaceFolder['charge'] = disk.charge): Promise<WorkspaceFolder> {
  const folder = join(above, newId())
  await mkdir(folder)
  const at = openWorkspaceFolder({ ...disk, charge, workspace: place, folder })
  await bring(at, place)
  return at
}

async function bring(at: WorkspaceFolder, { sandbox_id }: WorkspaceRef): Promise<void> {
  const [sandbox] = await db.sql<{ version: string }>`select version from sandboxes where id = ${sandbox_id}`
  await bringTo(at, sandbox!.version)
}

async function keep(at: WorkspaceFolder, place: WorkspaceRef): Promise<{ paths: string[]; unkept: string[] }> {
  const { changes, unkept } = await findChanges(at, never)
  if (changes.length > 0) {
    const versions = await db.transaction((sql) =>
      recordChanges(
        sql,
        changes.map((change) => ({ ...place, step: 1, ...change })),
      ),
    )
    propose(at, changes, versions.get(place.sandbox_id)!)
  }
  return { paths: changes.map(({ path }) => path).toSorted(), unkept }
}

/** Everything below a folder: names, kinds, bytes and whether it can be executed. */
async function treeOf(folder: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {}
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name)
    const entry = await lstat(path)
    if (entry.isSymbolicLink()) tree[name] = `-> ${await readlink(path)}`
    else if (entry.isDirectory()) tree[name] = 'folder'
    else tree[name] = `${(await readFile(path)).toString('hex').slice(0, 40)} ${(entry.mode & 0o100) === 0 ? '' : 'x'}`
  }
  return tree
}

proves(
  'pools.time',
  'a team is charged for the files that a command left, and for those that are laid out for the next',
  async () => {
    const charged = { files: 0, bytes: 0 }
    const charge = (files: number, bytes: number): undefined => {
      charged.files += files
      charged.bytes += bytes
    }
    const place = await newPlace()
    const one = await layOut(place, charge)
    for (let n = 0; n < 5; n++) writeFileSync(join(one.folder, `file ${n}`), 'x'.repeat(100))
    await keep(one, place)
    assert.deepEqual(charged, { files: 5, bytes: 1000 }, 'what is hashed, and what is stored')
    await layOut(place, charge)
    assert.deepEqual(charged, { files: 10, bytes: 1500 })
  },
)

proves('workspace.layout', 'files, links, empty folders and executable files come out the same elsewhere', async () => {
  const place = await newPlace()
  const one = await layOut(place)
  const at = (name: string) => join(one.folder, name)
  await mkdir(at('a/b/empty'), { recursive: true })
  await writeFile(at('a/b/bytes'), Buffer.from([0, 255, 1]))
  await writeFile(at('nothing'), '')
  await writeFile(at('run.sh'), 'exit 0')
  await chmod(at('run.sh'), 0o755)
  await writeFile(at('large'), Buffer.alloc(3 * 1024 * 1024, 'xyz'))
  await symlink('../a/b', at('a/up'))
  await symlink('/etc/passwd', at('outside'))
  await keep(one, place)
  const two = await layOut(place)
  const tree = await treeOf(two.folder)
  assert.deepEqual(tree, await treeOf(one.folder))
  assert.deepEqual([tree['outside'], tree['a/b/empty'], tree['nothing']], ['-> /etc/passwd', 'folder', ' '])
  assert.ok((await readFile(join(two.folder, 'large'))).equals(await readFile(at('large'))))
})

proves('workspace.layout', 'only what changed is found and written, by whichever of two processes', async () => {
  const place = await newPlace()
  const one = await layOut(place)
  const at = (name: string) => join(one.folder, name)
  for (const name of ['same', 'changed', 'gone', 'bits', 'becomes-folder']) await writeFile(at(name), name)
  await mkdir(at('becomes-file'))
  await keep(one, place)
  await bring(one, place)
  assert.deepEqual((await keep(one, place)).paths, [])
  const two = await layOut(place)
  const inodeOf = async () => (await stat(join(two.folder, 'same'))).ino
  const inode = await inodeOf()

  await writeFile(at('changed'), 'anew')
  await rm(at('gone'))
  await chmod(at('bits'), 0o755)
  await rm(at('becomes-folder'))
  await mkdir(at('becomes-folder/deep'), { recursive: true })
  await writeFile(at('becomes-folder/deep/x'), 'x')
  await rm(at('becomes-file'), { recursive: true })
  await writeFile(at('becomes-file'), 'y')
  await writeFile(at('same'), 'same')
  assert.deepEqual(
    (await keep(one, place)).paths,
    ['becomes-file', 'becomes-folder', 'becomes-folder/deep/x', 'bits', 'changed', 'gone'].map(
      (name) => `/workspace/${name}`,
    ),
  )
  await bring(two, place)
  assert.deepEqual(await treeOf(two.folder), await treeOf(one.folder))
  assert.equal(await inodeOf(), inode)
})

proves('workspace.layout', 'what was not recorded is taken back before the next command', async () => {
  const place = await newPlace()
  const at = await layOut(place)
  await writeFile(join(at.folder, 'kept'), '1')
  await keep(at, place)
  await bring(at, place)
  await writeFile(join(at.folder, 'kept'), '2')
  await writeFile(join(at.folder, 'lost'), '2')
  await findChanges(at, never)
  await bring(at, place)
  assert.deepEqual(await treeOf(at.folder), { kept: '31 ' })
})

proves(
  'workspace.beneath',
  'a link in the place of a folder leads nothing out of the workspace, neither reading nor writing',
  async () => {
    const outside = join(above, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 'canary')
    const place = await newPlace()
    const one = await layOut(place)
    await mkdir(join(one.folder, 'd'))
    await writeFile(join(one.folder, 'd/file'), 'inside')
    await keep(one, place)
    // in another folder of the same workspace, the folder's name leads outside
    const two = await layOut(place)
    await rm(join(two.folder, 'd'), { recursive: true })
    await symlink(outside, join(two.folder, 'd'))
    await keep(two, place)
    const rows = await db.sql<{ path: string; kind: string }>`
    select path, kind from workspace_files where sandbox_id = ${place.sandbox_id} and until_step is null`
    assert.deepEqual(rows, [{ path: '/workspace/d', kind: 'link' }])
    // and back again: what is laid out over the link lies inside
    await db.transaction((sql) =>
      recordChanges(sql, [
        { ...place, path: '/workspace/d', step: 2, entry: null },
        { ...place, path: '/workspace/d/file', step: 2, entry: { kind: 'dir' } },
      ]),
    )
    await bring(two, place)
    assert.deepEqual(await treeOf(two.folder), { d: 'folder', 'd/file': 'folder' })
    assert.deepEqual(await treeOf(outside), { secret: `${Buffer.from('canary').toString('hex')} ` })
    const [canaries] = await db.sql`select count(*) as found from blob_chunks where bytes = 'canary'`
    assert.deepEqual(canaries, { found: 0 })
  },
)

proves(
  'workspace.unkept',
  'what no workspace can keep is reported and removed, and everything else is kept',
  { skip: process.platform === 'win32' },
  async () => {
    const place = await newPlace()
    const at = await layOut(place)
    await writeFile(join(at.folder, 'good'), '')
    await writeFile(join(at.folder, 'bad\\name'), '')
    await writeFile(join(at.folder, '...'), '')
    execFileSync('mkfifo', [join(at.folder, 'pipe')])
    const { paths, unkept } = await keep(at, place)
    assert.deepEqual(paths, ['/workspace/good'])
    assert.deepEqual(unkept.toSorted(), ['/workspace/...', '/workspace/bad\\name', '/workspace/pipe'])
    assert.deepEqual(await readdir(at.folder), ['good'])
  },
)

proves('blobs.swept', 'bytes that a command makes again are there when its files are recorded', async () => {
  const place = await newPlace()
  const at = await layOut(place)
  const [sha256] = await at.blobs.put([Buffer.from('made long ago, and again')])
  await db.sql`update blobs set created_at = now() - interval '25 hours' where sha256 = decode(${sha256!}, 'hex')`
  await writeFile(join(at.folder, 'again'), 'made long ago, and again')
  const { changes } = await findChanges(at, never)
  while ((await sweepBlobs(db.sql, 100)) > 0);
  await db.transaction((sql) =>
    recordChanges(
      sql,
      changes.map((change) => ({ ...place, step: 1, ...change })),
    ),
  )
})

proves('sandbox.closed', 'what a command closed is kept, and gone when it was not recorded', async () => {
  const place = await newPlace()
  const at = await layOut(place)
  await chmod(above, 0o755)
  if (isRoot()) await chown(at.folder, 65534, 65534)
  await withoutRights(async () => {
    const close = async (name: string): Promise<void> => {
      await mkdir(join(at.folder, name, 'inner'), { recursive: true })
      await writeFile(join(at.folder, name, 'x'), name, { mode: 0o000 })
      for (const folder of [`${name}/inner`, name, '.']) await chmod(join(at.folder, folder), 0o000)
    }
    await close('kept')
    assert.deepEqual((await keep(at, place)).paths, ['/workspace/kept/inner', '/workspace/kept/x'])
    await bring(at, place)
    // the next one is cut off
    await close('lost')
    await clearFolder(at)
    await bring(at, place)
    assert.deepEqual(Object.keys(await treeOf(at.folder)).toSorted(), ['kept', 'kept/inner', 'kept/x'])
  })
})

proves(
  'sandbox.manyFiles',
  'more files than a workspace holds are refused by their number: none is read, stored or left for the next command',
  async () => {
    const place = await newPlace()
    const folder = join(above, newId())
    await mkdir(folder)
    const at = openWorkspaceFolder({ ...disk, workspace: place, folder, most: 50 })
    await bring(at, place)
    for (let n = 0; n <= 50; n++) writeFileSync(join(folder, `file ${n}`), `many ${n}`)
    await assert.rejects(findChanges(at, never), (error: unknown) => {
      assert.ok(error instanceof CannotSave)
      assert.match(error.message, /more than 50 files and empty folders.*pack them into an archive/)
      return true
    })
    const [stored] = await db.sql<{ blobs: number }>`
    select count(*)::int as blobs from blobs where sha256 in (select sha256(convert_to('many ' || n, 'utf8')) from generate_series(0, 50) n)`
    assert.equal(stored!.blobs, 0)
    await clearFolder(at)
    assert.deepEqual(await readdir(at.folder), [])
  },
)
