// The files of a run's workspace as they are now, for its evidence bundle: by their hashes, and with their contents if those are asked for.
import { sandboxOf } from '../../engine/ledger/run.ts'
import { blobsFor } from '../../kit/blobs.ts'
import { rowsAsLines, type EvidencePart } from '../../kit/evidence.ts'
import { readManifest } from './workspace/workspace.ts'
import { sandboxOfRun } from './workspace/sandboxOfRun.ts'

export const fileEvidence: EvidencePart = {
  name: 'files',
  scope: 'files:read',
  async *files({ sql, context, teamId, runId, isWithContents }) {
    const [run] = await sql<{ team_id: string; sandbox_id: string | null }>`
      select r.team_id, ${sandboxOf} as sandbox_id from runs r where r.id = ${runId} and r.team_id = ${teamId}`
    const place = run && (await sandboxOfRun(sql, run))
    if (!place) return
    const { manifest } = await readManifest(sql, place)
    const entries = [...manifest].sort(([a], [b]) => (a < b ? -1 : 1))
    const rows = entries.map(([path, entry]) => ({ line: JSON.stringify({ path, ...entry }) }))
    yield { path: 'files.jsonl', rows: rowsAsLines(Promise.resolve(rows)) }
    if (!isWithContents) return
    const hashes = new Set(entries.flatMap(([, entry]) => (entry.kind === 'file' ? [entry.sha256] : [])))
    const blobs = blobsFor(context, sql)
    for (const sha256 of hashes) yield { path: `files/${sha256}`, bytes: blobs.read(sha256) }
  },
}
