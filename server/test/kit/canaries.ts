// Canaries: whether secrets are found in clear in texts and in a dump of the whole database, in any spelling.
import assert from 'node:assert/strict'
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

const spellings = (value: string): string[] => {
  const bytes = Buffer.from(value)
  const packed = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  return [value, encodeURIComponent(value), bytes.toString('hex'), ...packed]
}

export function assertClean(canaries: Iterable<string>, place: string, text: string): void {
  for (const canary of canaries) {
    for (const spelling of spellings(canary)) {
      const at = text.indexOf(spelling)
      assert.equal(at, -1, `${place} shows ${spelling}: …${text.slice(Math.max(0, at - 150), at + 80)}`)
    }
  }
}
