// Spreadsheets of tables, read back from their bytes: kinds of cells, names of sheets, hostile texts, and what is left out.
import assert from 'node:assert/strict'
import { inflateRawSync } from 'node:zlib'
import { proves } from '../../../test/kit/proves.ts'
import type { PageTable } from './pageTable.ts'
import { xlsxOf } from './xlsx.ts'

/** The files of a zip archive, by the list at its end. */
function unzip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const files = new Map<string, string>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size, nameLength] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const data = bytes.subarray(begin, begin + size)
    files.set(name, (method === 8 ? inflateRawSync(data) : data).toString())
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return files
}

const unescaped = (xml: string): string =>
  xml
    .replaceAll(
      /&(lt|gt|quot|apos|amp);/g,
      (_, name: string) => ({ lt: '<', gt: '>', quot: '"', apos: "'" })[name] ?? '&',
    )
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

interface ReadCell {
  value: string | number | boolean
  style: string | undefined
}

/** The sheets as a spreadsheet program reads them. */
function read(bytes: Buffer): { name: string; cells: Record<string, ReadCell>; xml: string }[] {
  const files = unzip(bytes)
  for (const [name, xml] of files) assert.doesNotMatch(xml, /[[\p{Cc}\ufffe\uffff]--[\t\n\r]]/v, name)
  const texts = [...files.get('xl/sharedStrings.xml')!.matchAll(/<si><t[^>]*>([^<]*)<\/t><\/si>/g)].map((match) =>
    unescaped(match[1]!),
  )
  const names = [...files.get('xl/workbook.xml')!.matchAll(/<sheet [^>]*name="([^"]*)"/g)].map((match) =>
    unescaped(match[1]!),
  )
  return names.map((name, index) => {
    const xml = files.get(`xl/worksheets/sheet${index + 1}.xml`)!
    const cells: Record<string, ReadCell> = {}
    for (const [, attributes = '', inner = ''] of xml.matchAll(/<c ([^>]*)>(.*?)<\/c>/g)) {
      const {
        r = '',
        t,
        s,
      } = Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map((match) => [match[1], match[2]]))
      const [, raw] = /^<v>([^<]*)<\/v>$/.exec(inner) ?? assert.fail(`the cell ${r} has ${inner}`)
      if (t === 's') assert.match(raw!, /^\d+$/)
      cells[r] = { value: t === 's' ? texts[Number(raw)]! : t === 'b' ? raw === '1' : Number(raw), style: s }
    }
    return { name, cells, xml }
  })
}

const table = (rows: unknown[][], columns: PageTable['columns'], title = 'A table'): PageTable => ({
  title,
  columns,
  rows,
})
const valuesOf = (cells: Record<string, ReadCell>, ...names: string[]) => names.map((name) => cells[name]?.value)

proves('pages.xlsx', 'numbers are numbers, times are dates, and texts are texts', async () => {
  const columns: PageTable['columns'] = [
    { name: 'Agent', kind: 'text' },
    { name: 'Runs', kind: 'number' },
    { name: 'Cost', kind: 'usd' },
    { name: 'Share', kind: 'percent' },
    { name: 'Took', kind: 'duration' },
    { name: 'At', kind: 'time' },
  ]
  const rows = [
    ['12', '34', '0.25', 0.5, 90, '2026-11-16T12:00:00Z'],
    [7, 'many', null, '', { a: 1 }, 'soon'],
    [true, '12345678901234567890', -1e-7, Number.POSITIVE_INFINITY, undefined, '0044-03-15'],
  ]
  const [sheet] = read(await xlsxOf([table(rows, columns)]))
  const { cells } = sheet!
  assert.deepEqual(valuesOf(cells, 'A1', 'B1', 'F1'), ['Agent', 'Runs', 'At'])
  assert.deepEqual(valuesOf(cells, 'A2', 'B2', 'C2', 'D2', 'E2'), ['12', 34, 0.25, 0.5, 90])
  // days since the end of 1899
  assert.equal(cells['F2']!.value, 46_342.5)
  assert.deepEqual(valuesOf(cells, 'A3', 'B3', 'C3', 'D3', 'E3', 'F3'), [
    7,
    'many',
    undefined,
    undefined,
    '{"a":1}',
    'soon',
  ])
  assert.deepEqual(valuesOf(cells, 'A4', 'B4', 'C4', 'D4', 'E4', 'F4'), [
    true,
    '12345678901234567890',
    -1e-7,
    undefined,
    undefined,
    '0044-03-15',
  ])
  const styles = ['C2', 'D2', 'E2', 'F2'].map((name) => cells[name]!.style)
  assert.equal(new Set([...styles, cells['A2']!.style]).size, 5, 'each kind has a format of its own')
})

proves('pages.xlsx', 'the names of the columns are bold, above their figures, and every font has a name', async () => {
  const columns: PageTable['columns'] = [
    { name: 'One', kind: 'number' },
    { name: 'Two', kind: 'text' },
  ]
  const bytes = await xlsxOf([table([[1, 'x']], columns)])
  const { cells } = read(bytes)[0]!
  const styles = unzip(bytes).get('xl/styles.xml')!
  const formats = [.../<cellXfs.*?<\/cellXfs>/s.exec(styles)![0].matchAll(/<xf .*?<\/xf>/gs)].map(([xf]) => xf)
  const fonts = [...styles.matchAll(/<font>.*?<\/font>/gs)].map((match) => match[0])
  for (const [cell, isRight] of [
    ['A1', true],
    ['B1', false],
  ] as const) {
    const format = formats[Number(cells[cell]!.style)]!
    assert.match(fonts[Number(/fontId="(\d+)"/.exec(format)![1])]!, /<b\/>/)
    assert.equal(format.includes('horizontal="right"'), isRight)
  }
  for (const font of fonts) assert.match(font, /<name val="Calibri"\/>/)
})

proves('pages.xlsx', 'no text becomes a formula, markup or a broken file', async () => {
  const hostile = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=HYPERLINK("http://example.com")',
    "=cmd|' /C calc'!A0",
    '\t=1',
    '</t></si><si><t>',
    '<v>1</v>',
    ']]>',
    '&lt;',
    '"\'<>&',
    ...Object.getOwnPropertyNames(Object.prototype),
    '_x0041_',
    '_x0041_x0042_',
    '_x005F_',
    ' space ',
    '\r\n',
    '\u0007\u001b[0m',
    '\ud800',
    '\ufffe\uffff',
    '😀',
    'e\u0301',
    '\u202e',
  ]
  const [sheet] = read(
    await xlsxOf([
      table(
        hostile.map((text) => [text]),
        [{ name: '=1', kind: 'text' }],
      ),
    ]),
  )
  assert.equal(sheet!.cells['A1']!.value, '=1')
  hostile.forEach((text, index) =>
    assert.equal(sheet!.cells[`A${index + 2}`]?.value, text.toWellFormed(), JSON.stringify(text)),
  )
  assert.doesNotMatch(sheet!.xml, /<f[ >]/)
})

proves('pages.xlsx', 'the names of sheets are valid, and no two are the same', async () => {
  const titles = [
    'Runs',
    'runs',
    '',
    "''",
    'a/b\\c[d]e:f*g?h',
    'x'.repeat(50),
    'x'.repeat(60),
    'History',
    '\u0000\ufffe',
    '"><x a="',
    `${'y'.repeat(30)}😀`,
  ]
  const sheets = read(await xlsxOf(titles.map((title) => table([], [{ name: 'One', kind: 'text' }], title))))
  const names = sheets.map(({ name }) => name)
  assert.deepEqual(names, [
    'Runs',
    'runs (2)',
    'Table 3',
    'Table 4',
    'a b c d e f g h',
    'x'.repeat(31),
    `${'x'.repeat(27)} (2)`,
    'History (2)',
    'Table 9',
    '"><x a="',
    'y'.repeat(30),
  ])
  assert.deepEqual(
    names.filter((name) => name.length > 31 || /[[\]:*?/\\]|^'|'$/.test(name)),
    [],
  )
})

proves('pages.xlsx', 'what does not fit is left out, and the last sheet says so', async () => {
  const columns = Array.from({ length: 10 }, (_, index) => ({ name: `C${index}`, kind: 'number' as const }))
  const rows = Array.from({ length: 12_000 }, (_, index) => columns.map(() => index))
  const sheets = read(await xlsxOf([table(rows, columns, 'Large'), table(rows.slice(0, 3), columns, 'Small')]))
  const cells = sheets.map((sheet) => Object.keys(sheet.cells).length)
  assert.deepEqual(
    sheets.map(({ name }) => name),
    ['Large', 'Small', 'Left out'],
  )
  assert.equal(cells[0], 100_000)
  assert.deepEqual(valuesOf(sheets[2]!.cells, 'A1', 'A2'), [
    'Large: 9,999 of 12,000 rows are here, since a file has at most 100,000 cells.',
    'Small: 0 of 3 rows are here, since a file has at most 100,000 cells.',
  ])
  const [none] = read(await xlsxOf([]))
  assert.deepEqual([none!.name, none!.cells['A1']!.value], ['No tables', 'The page has no tables.'])
  const long = read(await xlsxOf([table([['z'.repeat(40_000)]], [{ name: 'Long', kind: 'text' }])]))
  assert.equal(String(long[0]!.cells['A2']!.value).length, 32_767)
})
