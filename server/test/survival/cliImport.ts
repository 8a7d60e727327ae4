// Proof: an import of cases from the command line is killed again and again, and started again; every row is one case.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programFile } from '../kit/programFile.ts'
import { send, startService } from './processes.ts'
import type { Proof } from './proof.ts'
import { bodyOf } from './yard.ts'

const cli = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

export interface Imported {
  rows: number
  kills: number
  starts: number
  /** As the queue has them: must be the rows. */
  cases: number
  /** Must be 0: rows that are in the queue twice, or not at all. */
  doubles: number
  missing: number
}

interface Target {
  baseUrl: string
  key: string
  teamId: string
  /** Where the file is written. */
  folder: string
}

interface Size {
  rows: number
  kills: number
}

export async function importUnderKills(target: Target, { rows, kills }: Size): Promise<Imported> {
  const { baseUrl, key, teamId, folder } = target
  const made = await send(baseUrl, {
    method: 'POST',
    path: `/v2/teams/${teamId}/queues`,
    key,
    body: { name: 'Imported' },
  })
  const queueId = bodyOf(made)['queue_id'] as string
  const file = join(folder, 'rows.csv')
  // every second row has no id of its own
  const lines = Array.from({ length: rows }, (_, n) => `Row ${n},${n % 2 ? `own-${n}` : ''},${n % 7}`)
  await writeFile(file, ['title,external_id,amount', ...lines].join('\n'))
  let child: ChildProcess | undefined
  let killed = 0
  let starts = 0
  const perLife = Math.max(1, Math.floor(rows / 100 / (kills + 1)))
  const between = await startBetween(baseUrl, (batch, moment) => {
    // in turn: while the service works on a batch, and when it is stored but the answer has not come
    const isDue =
      killed < kills && child?.killed === false && batch >= perLife && moment === (killed % 2 ? 'answered' : 'sent')
    if (isDue && child?.kill('SIGKILL')) killed += 1
    return isDue
  })
  const env = { PATH: process.env['PATH'], HOME: folder, RUNYARD_URL: between.url, RUNYARD_API_KEY: key }
  try {
    for (let code: unknown = null; code !== 0; starts += 1) {
      if (starts > kills) throw new Error(`the import ended with ${String(code)}`)
      between.begin()
      child = spawn(process.execPath, [programFile(cli), 'cases', 'import', file, '--queue', queueId], {
        env,
        stdio: 'ignore',
      })
      ;[code] = await once(child, 'exit')
    }
  } finally {
    between.close()
  }
  return { rows, kills: killed, starts, ...(await countsOf(target, queueId, rows)) }
}

async function countsOf(
  { baseUrl, key }: Target,
  queueId: string,
  rows: number,
): Promise<Omit<Imported, keyof Size | 'starts'>> {
  const titles: string[] = []
  for (let offset = 0, total = 1; offset < total;) {
    const path = `/v2/queues/${queueId}/cases?limit=100&offset=${offset}`
    const page = bodyOf(await send(baseUrl, { path, key })) as { cases: { title: string }[]; total: number }
    titles.push(...page.cases.map(({ title }) => title))
    ;({ total } = page)
    offset += page.cases.length
  }
  const unique = new Set(titles).size
  return { cases: titles.length, doubles: titles.length - unique, missing: rows - unique }
}

type Moment = 'sent' | 'answered'

/** Stands between the import and the service. When `onBatch` says that it has killed the import, its connection is cut. */
async function startBetween(
  baseUrl: string,
  onBatch: (batch: number, moment: Moment) => boolean,
): Promise<{ url: string; begin: () => void; close: () => void }> {
  let batches = 0
  const server = createServer((incoming, outgoing) => {
    const isBatch = incoming.method === 'POST'
    if (isBatch) batches += 1
    const batch = batches
    const upstream = httpRequest(
      `${baseUrl}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        const isCut = isBatch && onBatch(batch, 'answered')
        if (!isCut) outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(isCut ? outgoing.destroy() : outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
    incoming.on('end', () => isBatch && onBatch(batch, 'sent'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: () => (batches = 0),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export const isImported = ({ rows, cases, doubles, missing }: Imported): boolean =>
  cases === rows && doubles === 0 && missing === 0

export const cliImportProof: Proof = {
  name: 'runyard cases import of 10,000 rows, kill -9 of it five times',
  must: '10,000 cases, 0 doubles, 0 missing',
  async run(dataDir) {
    const service = await startService({ dataDir, env: { LOG_LEVEL: 'error', RUNYARD_RATE_LIMIT: '0' } })
    try {
      const counts = await importUnderKills({ ...service, folder: dataDir }, { rows: 10_000, kills: 5 })
      return { counts, holds: isImported(counts) && counts.kills === 5 && counts.starts === 6 }
    } finally {
      await service.stop()
    }
  },
}
