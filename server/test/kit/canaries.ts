// Canaries: whether secrets are found in clear in texts and in a dump of the whole database, in any spelling.
import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { readZip } from '../../src/base/zipFile.ts'
import type { Context } from '../../src/kit/context.ts'

/** Everything that the database holds, as text; bytes as hexadecimal digits. A backup is a copy of the same rows. */
export async function dumpTables({ db }: Context): Promise<Map<string, string>> {
  const tables = await db.sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`
  const texts = new Map<string, string>()
  for (const { name } of tables) {
    const { rows } = await db.pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    texts.set(name, rows.map(({ row }) => row).join('\n'))
  }
  return texts
}

/** In clear, in JSON, in URLs and forms, in hex, and in base64 of both kinds with any bytes before it. */
const spellings = (value: string): string[] => {
  const bytes = Buffer.from(value)
  const packed = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  const urlSafe = packed.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const inForm = new URLSearchParams({ a: value }).toString().slice(2)
  const hex = bytes.toString('hex')
  const inJson = JSON.stringify(value).slice(1, -1)
  return [value, inJson, encodeURIComponent(value), inForm, hex, hex.toUpperCase(), ...packed, ...urlSafe]
}

export function assertClean(canaries: Iterable<string>, place: string, text: string): void {
  for (const canary of canaries) {
    for (const spelling of spellings(canary)) {
      const at = text.indexOf(spelling)
      assert.equal(at, -1, `${place} shows ${spelling}: …${text.slice(Math.max(0, at - 150), at + 80)}`)
    }
  }
}

/** The file as it is, and what is inside it if it is a gzip or a zip archive. */
export async function assertFileClean(canaries: Iterable<string>, place: string, bytes: Buffer): Promise<void> {
  const all = [...canaries]
  assertClean(all, place, bytes.toString('latin1'))
  assertClean(all, place, bytes.toString())
  if (bytes.readUInt16BE(0) === 0x1f8b) return assertFileClean(all, `${place}, unpacked`, gunzipSync(bytes))
  if (bytes.readUInt16BE(0) !== 0x504b) return
  for (const entry of await readZip(bytes, { entriesMax: 1000, bytesMax: 100_000_000 })) {
    await assertFileClean(all, `${place}, ${entry.path}`, entry.bytes)
  }
}
