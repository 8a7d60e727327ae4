// Tables, JSON and CSV of the command line: what fits, what is cut, and what cannot do harm.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { outputOf, type Column } from './output.ts'
import { cutTo, widthOf } from './screenWidth.ts'

interface Row {
  id: string
  title: string
}

const columns: Column<Row>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'title', of: ({ title }) => title, mayCut: true },
]

async function printed(row: Row, wanted: { json?: boolean; csv?: boolean; isTTY?: boolean; columns?: number }) {
  let text = ''
  const stdout = { write: (more: unknown) => (text += String(more)), ...wanted }
  const stderr = { write: () => undefined }
  const { json = false, csv = false } = wanted
  await outputOf({ json, csv, env: {}, stdout, stderr }).rows(columns, [row])
  return text
}

proves('cli.terminal', 'a person who gets no rows reads a sentence, and a program reads nothing', async () => {
  for (const { isTTY, json } of [{ isTTY: true }, { isTTY: false }, { isTTY: true, json: true }]) {
    let said = ''
    const stdout = { write: () => assert.fail('nothing is data'), isTTY }
    const stderr = { write: (more: unknown) => (said += String(more)) }
    await outputOf({ json: json ?? false, csv: false, env: {}, stdout, stderr }).rows(columns, [], 'None.')
    assert.equal(said, isTTY && !json ? 'None.\n' : '')
  }
})

proves('cli.harmless', 'control characters of others reach neither a table nor JSON', async () => {
  const row = { id: '1', title: '\u001b]0;x\u0007\u009b2J\u202e' }
  assert.equal(await printed(row, {}), 'ID  TITLE\n1    ]0;x 2J\n')
  const json = await printed(row, { json: true })
  assert.deepEqual(JSON.parse(json), row)
  assert.match(json, /\\u009b2J\\u202e/)
  assert.equal(await printed({ id: '=1+1', title: 'a,b' }, { csv: true }), `id,title\n'=1+1,"a,b"\n`)
})

proves('cli.terminal', 'a table fits the terminal, also with wide characters', async () => {
  const row = { id: 'an-id', title: '漢字'.repeat(40) }
  const lines = (await printed(row, { isTTY: true, columns: 40 })).trimEnd().split('\n')
  for (const line of lines) assert.ok(widthOf(line) <= 40, line)
  assert.equal(cutTo('👍👍👍', 5), '👍👍…')
  assert.equal(widthOf('e\u0301'), 1)
  // a terminal that does not know its size says 0
  assert.ok((await printed(row, { isTTY: true, columns: 0 })).includes('漢字漢字漢字'))
})
