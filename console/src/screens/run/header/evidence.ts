// The evidence of a run as one JSON file: the run, its steps, events, messages, requests, evaluation and the list of its files.
import type { GetRunAnswer, Runyard } from '@runyard/sdk'

export interface Gathered {
  /** What is being read: `messages`. */
  what: string
  done: number
  /** Undefined while nobody knows it. */
  total: number | undefined
}

interface Part {
  name: string
  read: (tell: (done: number, total: number | undefined) => void) => Promise<unknown>
}

/** Each step is read whole, with its arguments, its result and its moments. */
const stepsAtOnce = 4
/** Folders below folders; a workspace has 10,000 entries at most. */
const foldersMax = 2000

export async function gatherEvidence(
  runyard: Runyard,
  { id, agent_id }: GetRunAnswer['run'],
  { onProgress, signal }: { onProgress: (gathered: Gathered) => void; signal: AbortSignal },
): Promise<Blob> {
  const call = { signal }

  async function messages(tell: (done: number, total: number | undefined) => void): Promise<unknown[]> {
    const rows: unknown[] = []
    for await (const page of runyard.runs.listMessages(id, { limit: 200 }, call).pages()) {
      rows.push(...page.messages)
      tell(rows.length, page.total)
    }
    return rows
  }

  async function steps(tell: (done: number, total: number | undefined) => void): Promise<unknown[]> {
    const rows: unknown[] = []
    const { total } = await runyard.runs.listSteps(id, { limit: 1 }, call).page()
    for (let seq = 1; seq <= total; seq += stepsAtOnce) {
      const numbers = Array.from({ length: Math.min(stepsAtOnce, total - seq + 1) }, (_, at) => String(seq + at))
      const read = await Promise.all(numbers.map((number) => runyard.runs.getStep(id, number, call)))
      rows.push(...read.map(({ step }) => step))
      tell(rows.length, total)
    }
    return rows
  }

  async function events(tell: (done: number, total: number | undefined) => void): Promise<unknown[]> {
    const rows: unknown[] = []
    for await (const page of runyard.runs.listEvents(id, { limit: 200 }, call).pages()) {
      rows.push(...page.events)
      tell(rows.length, page.total)
    }
    return rows
  }

  async function files(tell: (done: number, total: number | undefined) => void): Promise<unknown[]> {
    const found: unknown[] = []
    const folders: (string | undefined)[] = [undefined]
    for (const path of folders) {
      const { files: entries } = await runyard.runs.listFiles(id, path === undefined ? {} : { path }, call)
      for (const entry of entries) {
        if (entry.type === 'file') found.push(entry)
        else if (folders.length < foldersMax) folders.push(entry.path)
      }
      tell(found.length, undefined)
    }
    return found
  }

  const parts: Part[] = [
    { name: 'run', read: () => runyard.runs.getAgentRun(agent_id, id, call) },
    { name: 'why', read: () => runyard.runs.explain(id, call) },
    { name: 'report', read: async () => (await runyard.runs.report(agent_id, id, call)).report },
    { name: 'steps', read: steps },
    { name: 'events', read: events },
    { name: 'messages', read: messages },
    { name: 'evaluation', read: async () => (await runyard.evaluations.get(agent_id, id, call)).data },
    { name: 'pictures', read: async () => (await runyard.runs.screenshots(id, call)).screenshots.map(withoutUrls) },
    { name: 'files', read: files },
  ]
  const pieces: string[] = []
  for (const { name, read } of parts) {
    onProgress({ what: name, done: 0, total: undefined })
    const value = await orRefusal(() => read((done, total) => onProgress({ what: name, done, total })), signal)
    pieces.push(`${JSON.stringify(name)}: ${JSON.stringify(value, undefined, 1)}`)
  }
  const head = `"made_at": ${JSON.stringify(new Date().toISOString())}`
  return new Blob([`{\n${[head, ...pieces].join(',\n')}\n}\n`], { type: 'application/json' })
}

/** Signed URLs give access to whoever has them, and expire: they have no place in a file that is passed on. */
function withoutUrls<Picture extends { image_url: string; thumbnail_url: string }>(picture: Picture) {
  const { image_url: _image, thumbnail_url: _thumbnail, ...rest } = picture
  return rest
}

/** What one may not read is named as such; the rest is still worth having. */
async function orRefusal(read: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  try {
    return await read()
  } catch (error) {
    if (signal.aborted || !(error instanceof Error) || !('code' in error) || error.code !== 'insufficient_scope')
      throw error
    return { not_included: error.message }
  }
}
