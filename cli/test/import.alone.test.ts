// Cases from files.
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { importUnderKills, isImported } from '../../server/test/survival/cliImport.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { csvRecords, type CsvRecord } from '../src/cases/csv.ts'
import { lineWith, linesOf, openBench, printed } from './lines.ts'

const { folder, baseUrl, team, env, runyard } = await openBench()

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

async function queueOf(name: string): Promise<string> {
  return (await team.call('POST /v2/teams/:teamId/queues', { body: { name } })).body.queue_id as string
}

interface Listed {
  title: string
  data: string
  priority: string
}

const casesOf = async (queueId: string): Promise<Listed[]> => {
  const { body } = await team.call(`GET /v2/queues/${queueId}/cases?limit=100`)
  return (body.cases as Listed[]).toSorted((a, b) => a.title.localeCompare(b.title))
}

interface Counts {
  created: number
  existing: number
  invalid: number
}

const importOf = async (...words: string[]): Promise<Counts> =>
  JSON.parse(await printed(runyard('cases', 'import', ...words, '--json'))) as Counts

async function recordsOf(pieces: AsyncIterable<string>): Promise<CsvRecord[]> {
  const records: CsvRecord[] = []
  for await (const record of csvRecords(pieces)) records.push(record)
  return records
}

test('CSV is read in any pieces, with quotes, line breaks and the line of each record', async () => {
  const text = 'a,b\r\n"x ""y""","1\n2"\n\n,"z"\nlast,""'
  const wanted = [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x "y"', '1\n2'] },
    { line: 5, cells: ['', 'z'] },
    { line: 6, cells: ['last', ''] },
  ]
  for (const size of [1, 3, 100]) {
    const pieces = async function* () {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
    }
    assert.deepEqual(await recordsOf(pieces()), wanted)
  }
  const open = new Blob(['a\n"b']).stream().pipeThrough(new TextDecoderStream())
  await assert.rejects(recordsOf(open), /Line 2: a quote is not closed/)
})

proves('cli.import', 'a line of NDJSON ends with a line feed alone, and is bounded', async () => {
  const queueId = await queueOf('Separated')
  const titles = ['One\u2028two', 'One\u2029two']
  const rows = titles.map((title, index) => JSON.stringify({ title, external_id: String(index) }))
  const file = await fileOf('separated.ndjson', `${rows.join('\r\n')}\n`)
  assert.deepEqual((await importOf(file, '-q', queueId)).created, 2)
  assert.deepEqual(
    (await casesOf(queueId)).map(({ title }) => title),
    titles,
  )
  const long = await fileOf('long.ndjson', `{"title":"One"}\n{"title":"${'x'.repeat(2 * 1024 * 1024)}"}\n`)
  const refused = await runyard('cases', 'import', long, '-q', queueId, '--skip-invalid')
  assert.deepEqual([refused.code, refused.stderr], [1, 'Line 2: it is too long. Is a line break missing?\n'])
})

proves('cli.import', 'the rows of a file become cases, and a second run makes no doubles', async () => {
  const queueId = await queueOf('Invoices')
  const file = await fileOf(
    'invoices.csv',
    '\uFEFFnumber,who,amount,urgency\n1,Ann,10,high\n2,"Bob, Jr.",20,\n2b,Same,1,\n2b2,Same,1,\n',
  )
  const words = [file, '--queue', 'Invoices', '--title', 'who', '--data', 'amount', '--priority', 'urgency']
  assert.deepEqual(await importOf(...words), { queue_id: queueId, cases: 4, created: 4, existing: 0, invalid: 0 })
  assert.equal((await importOf(...words)).existing, 4)
  const cases = await casesOf(queueId)
  assert.deepEqual(
    cases.map(({ title, data, priority }) => [title, data, priority]),
    [
      ['Ann', '{"amount":"10"}', 'high'],
      ['Bob, Jr.', '{"amount":"20"}', 'none'],
      ['Same', '{"amount":"1"}', 'none'],
      ['Same', '{"amount":"1"}', 'none'],
    ],
  )
  const lines = await fileOf(
    'more.ndjson',
    '{"title":"One","external_id":"1","data":"text"}\n\n{"title":"Two","deep":{"a":1}}\n',
  )
  const other = await queueOf('More')
  assert.equal((await importOf(lines, '-q', other)).created, 2)
  assert.deepEqual(
    (await casesOf(other)).map(({ data }) => data),
    ['text', '{"deep":{"a":1}}'],
  )
  const piped = await lineWith(['cases', 'import', '-', '-q', other], env, '{"title":"Three"}\n')
  assert.deepEqual([piped.code, piped.stdout], [64, ''])
  const third = '{"title":"Three","external_id":"3"}\n'
  const read = await printed(lineWith(['cases', 'import', '-', '--format', 'ndjson', '-q', other], env, third))
  assert.equal(read, 'More: 1 case added, 0 were there already.\n')
  assert.deepEqual(
    (await readdir(tmpdir())).filter((name) => name.startsWith('runyard-import-')),
    [],
  )
  const [row] = linesOf(await printed(runyard('queues', '--search', 'More', '--json')))
  assert.equal((JSON.parse(row ?? '') as { counts: { pending: number } }).counts.pending, 3)
})

proves(
  'cli.import',
  'wrong rows are named with their lines, and nothing is imported unless they are left out',
  async () => {
    const queueId = await queueOf('Wrong')
    const long = 'x'.repeat(501)
    const file = await fileOf(
      'wrong.csv',
      `title,external_id,priority\nGood,1,high\n,2,\n${long},3,\nTwice,1,\nOdd,4,urgent\nShort\n\u0007Bell,6,soon\n`,
    )
    const refused = await runyard('cases', 'import', file, '-q', queueId)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.deepEqual(
      linesOf(refused.stderr).map((line) => line.slice(0, 28)),
      [
        'Line 3 has no title.',
        'Line 4 has a title of more t',
        'Line 5 has the same external',
        'Line 6 has a priority that i',
        'Line 7 has 1 columns, and th',
        'Line 8 has a priority that i',
        'Nothing was imported. Correc',
      ],
    )
    assert.equal((await casesOf(queueId)).length, 0)
    const counts = await importOf(file, '-q', queueId, '--skip-invalid')
    assert.deepEqual([counts.created, counts.invalid], [1, 6])
    assert.equal((await runyard('cases', 'import', file, '-q', 'No such queue')).code, 1)
    assert.equal((await runyard('cases', 'import', file)).code, 64)
    assert.equal((await runyard('cases', 'import', file, '-q', queueId, '--title', 'nothing')).code, 64)
  },
)

proves('cli.import', 'an import that is killed and started again makes every row one case', async (t) => {
  const target = { baseUrl, key: team.key, teamId: team.id, folder }
  const seen = await importUnderKills(target, { rows: 300, kills: 2 })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(isImported(seen), JSON.stringify(seen))
  assert.deepEqual([seen.kills, seen.starts], [2, 3])
})
