// The tools of the workspace as the engine calls them: many calls of many runs in one transaction.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../base/ids.ts'
import type { InsideTool, Outcome, ToolCall } from '../../kit/tool.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { sandboxTools } from './tools.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)

interface Wanted {
  run: string
  step?: number
  input: object
}

/** Applies calls to one tool, in a transaction of their own. */
function apply(name: string, wanted: Wanted[], teamId = team.id): Promise<Outcome[]> {
  const tool = sandboxTools.tools.find((one) => one.name === `sandbox_${name}`) as unknown as InsideTool
  const calls = wanted.map(({ run, step = 1, input }): ToolCall<never> => ({
    id: `${run}:${step}`,
    step,
    run: {
      id: run,
      team_id: teamId,
      agent_id: newId(),
      build_id: newId(),
      config_hash: null,
      user_id: null,
      case_id: null,
      depth: 0,
    },
    input: input as never,
  }))
  return db.transaction((sql) => tool.apply(calls, sql, service.context))
}

// results are read the way a model reads them
// oxlint-disable-next-line typescript/no-explicit-any
const resultsOf = (outcomes: Outcome[]): any[] =>
  outcomes.map((outcome) => ('result' in outcome ? outcome.result : outcome))
const errorOf = (outcome: Outcome | undefined): string => (outcome && 'error' in outcome ? outcome.error : 'no error')
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

proves('workspace.files', 'a file is written, reported with its hash and type, read back and listed', async () => {
  const run = newId()
  const [outcome] = await apply('write_file', [{ run, input: { path: 'out/héllo.md', content: 'wörld' } }])
  const file = { path: '/workspace/out/héllo.md', size_bytes: 6, sha256: sha256('wörld') }
  assert.deepEqual(outcome, { result: file, files: [{ ...file, content_type: 'text/markdown' }] })
  await apply('write_file', [{ run, input: { path: '/workspace/top', content: '' } }])
  const [read, empty, missing, folder] = await apply(
    'read_file',
    ['out/héllo.md', 'top', 'nothing', 'out'].map((path) => ({ run, input: { path } })),
  )
  assert.deepEqual(resultsOf([read!, empty!]), [
    { path: file.path, content: 'wörld', encoding: 'utf-8', size_bytes: 6 },
    { path: '/workspace/top', content: '', encoding: 'utf-8', size_bytes: 0 },
  ])
  assert.equal(errorOf(missing), 'there is no file /workspace/nothing in the workspace')
  assert.match(errorOf(folder), /there is no file/)
  const [root, out, none] = await apply('list_files', [
    { run, input: {} },
    { run, input: { path: 'out/' } },
    { run, input: { path: 'none' } },
  ])
  const [all, below] = resultsOf([root!, out!])
  assert.equal(all.path, '/workspace')
  assert.deepEqual(
    all.files.map(({ modified_at, ...entry }: Record<string, unknown>) => {
      assert.match(String(modified_at), /^\d{4}-.*\.\d{3}Z$/)
      return entry
    }),
    [
      { name: 'out', path: '/workspace/out', type: 'dir', size_bytes: 6 },
      { name: 'top', path: '/workspace/top', type: 'file', size_bytes: 0 },
    ],
  )
  assert.deepEqual(
    below.files.map(({ name }: { name: string }) => name),
    ['héllo.md'],
  )
  assert.equal(errorOf(none), 'there is no folder /workspace/none in the workspace')
  const fresh = await apply('list_files', [{ run: newId(), input: {} }])
  assert.deepEqual(fresh, [{ result: { path: '/workspace', files: [] } }])
})

proves('workspace.files', '64 writes of 32 runs in one batch each land in the workspace of their run', async () => {
  const runs = Array.from({ length: 32 }, newId)
  const calls = Array.from({ length: 64 }, (_, n) => ({
    run: runs[n % 32]!,
    step: n,
    input: { path: `f${n}.txt`, content: `content ${n % 8}` },
  }))
  const outcomes = await apply('write_file', calls)
  assert.equal(outcomes.filter((outcome) => 'files' in outcome).length, 64)
  const listed = await apply(
    'list_files',
    runs.map((run) => ({ run, input: {} })),
  )
  assert.equal(listed.length, 32)
  for (const [n, { files }] of resultsOf(listed).entries()) {
    const names = files.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, [`f${n}.txt`, `f${n + 32}.txt`].toSorted())
  }
  const [kept] = await db.sql`select count(*) as blobs from blobs where sha256 in (
    select sha256 from workspace_files f join sandboxes s on s.id = f.sandbox_id where s.run_id = any(${runs}))`
  assert.deepEqual(kept, { blobs: 8 })
})

proves(
  'workspace.history',
  'a file has one current row, and each earlier one says until which step it was',
  async () => {
    const run = newId()
    const write = (step: number, content: string) => ({ run, step, input: { path: 'a', content } })
    await apply('write_file', [write(1, 'one')])
    await apply('write_file', [write(3, 'three'), write(4, 'four')])
    await apply('write_file', [write(9, 'nine')])
    const rows = await db.sql`
    select from_step, until_step, size_bytes from workspace_files f join sandboxes s on s.id = f.sandbox_id
    where s.run_id = ${run} order by from_step`
    assert.deepEqual(rows, [
      { from_step: 1, until_step: 3, size_bytes: 3 },
      { from_step: 3, until_step: 4, size_bytes: 5 },
      { from_step: 4, until_step: 9, size_bytes: 4 },
      { from_step: 9, until_step: null, size_bytes: 4 },
    ])
    assert.equal(resultsOf(await apply('read_file', [{ run, input: { path: 'a' } }]))[0].content, 'nine')
  },
)

proves('workspace.history', 'writers of one workspace at once make one sandbox and lose nothing', async () => {
  const run = newId()
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      apply('write_file', [
        { run, step: n + 1, input: { path: `own/${n}`, content: `${n}` } },
        { run, step: n + 1, input: { path: 'shared', content: `${n}` } },
      ]),
    ),
  )
  const [count] = await db.sql`
    select count(*) filter (where until_step is null) as current, count(*) as rows, count(distinct sandbox_id) as sandboxes
    from workspace_files f join sandboxes s on s.id = f.sandbox_id where s.run_id = ${run}`
  assert.deepEqual(count, { current: 21, rows: 40, sandboxes: 1 })
})

proves(
  'workspace.content',
  'bytes that are not text come and go as base64, and long files are cut at a character',
  async () => {
    const run = newId()
    const bytes = Buffer.concat([randomBytes(3000), Buffer.from([0xff, 0])])
    const text = `x${'é'.repeat(40_000)}`
    const encoding = 'base64'
    const wrapped = bytes.toString('base64').replace(/(.{76})/g, '$1\r\n')
    const large = randomBytes(60_000)
    const written = await apply('write_file', [
      { run, input: { path: 'b.bin', content: wrapped, encoding } },
      { run, input: { path: 'long.txt', content: text } },
      { run, input: { path: 'large.bin', content: large.toString('base64'), encoding } },
      { run, input: { path: 'bad', content: 'no base64!', encoding } },
      { run, input: { path: 'bad', content: 'abc=d', encoding } },
      { run, input: { path: 'bad', content: 'half \ud83d' } },
    ])
    assert.equal(resultsOf(written)[0].sha256, sha256(bytes))
    for (const outcome of written.slice(3, 5)) assert.match(errorOf(outcome), /not valid base64/)
    assert.match(errorOf(written[5]), /surrogate/)
    const [binary, long, cut] = resultsOf(
      await apply(
        'read_file',
        ['b.bin', 'long.txt', 'large.bin'].map((path) => ({ run, input: { path } })),
      ),
    )
    assert.deepEqual(binary, {
      path: '/workspace/b.bin',
      content: bytes.toString('base64'),
      encoding,
      size_bytes: bytes.length,
    })
    assert.deepEqual([long.truncated, long.size_bytes], [true, 80_001])
    assert.equal(long.content, text.slice(0, 32_768))
    assert.deepEqual([cut.truncated, cut.size_bytes, cut.content.length], [true, 60_000, 65_536])
    assert.ok(Buffer.from(cut.content, 'base64').equals(large.subarray(0, 49_152)))
  },
)

proves('workspace.limits', 'a file of 10 MiB is taken, one byte more is not', async () => {
  const run = newId()
  const content = 'x'.repeat(10 * 1024 * 1024)
  const outcomes = await apply('write_file', [
    { run, input: { path: 'full', content } },
    { run, input: { path: 'over', content: `${content}x` } },
  ])
  assert.equal(resultsOf(outcomes)[0].size_bytes, content.length)
  assert.match(errorOf(outcomes[1]), /10485761 bytes.*at most 10485760/)
})

proves('workspace.paths', 'bad paths are errors of their own calls and of no other, from every tool', async () => {
  const run = newId()
  for (const name of ['write_file', 'read_file', 'list_files']) {
    const outcomes = await apply(
      name,
      ['../x', 'good', '/etc/passwd', 'a\u0000'].map((path) => ({ run, input: { path, content: 'x' } })),
    )
    assert.match(errorOf(outcomes[0]), /dots alone/)
    assert.match(errorOf(outcomes[2]), /outside of \/workspace/)
    assert.match(errorOf(outcomes[3]), /control character/)
  }
  const root = await apply('write_file', [{ run, input: { path: '/workspace/', content: '' } }])
  assert.match(errorOf(root[0]), /the workspace itself/)
})

proves(
  'workspace.folders',
  'a name is a file or a folder, never both, whether the other is there already or comes in the same batch',
  async () => {
    const run = newId()
    const write = (path: string) => ({ run, input: { path, content: path } })
    await apply('write_file', [write('file'), write('folder/below')])
    const outcomes = await apply('write_file', [
      write('file/below'),
      write('folder'),
      write('folder0'),
      write('new/one'),
      write('new'),
      write('other'),
      write('other/one/two'),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => ('error' in outcome ? outcome.error.split('.')[0] : 'written')),
      [
        '/workspace/file is a file, so nothing can be written below it',
        '/workspace/folder is a folder',
        'written',
        'written',
        '/workspace/new is a folder',
        'written',
        '/workspace/other is a file, so nothing can be written below it',
      ],
    )
  },
)

proves('workspace.files', 'a long folder is cut, and another team’s run finds nothing', async () => {
  const run = newId()
  const calls = Array.from({ length: 1001 }, (_, n) => ({
    run,
    input: { path: `d/${String(n).padStart(4, '0')}`, content: '' },
  }))
  await apply('write_file', calls)
  const [list] = resultsOf(await apply('list_files', [{ run, input: { path: 'd' } }]))
  assert.deepEqual([list.files.length, list.truncated, list.files[999].name], [1000, true, '0999'])
  const stranger = await seedTeam(service)
  const [foreign] = await apply('read_file', [{ run, input: { path: 'd/0001' } }], stranger.id)
  assert.match(errorOf(foreign), /there is no file/)
})
