// Makes a call of a browser tool: its actions one after the other, and one outcome for all of them.
import { readFile } from 'node:fs/promises'
import { zip } from '../../base/zip.ts'
import { mustHave } from '../../base/mustHave.ts'
import {
  BrowserGone,
  type Acted,
  type Action,
  type Download,
  type SessionState,
} from '../../drivers/browser/browser.ts'
import type { SeenFile } from '../../drivers/model/model.ts'
import { blobsOfRuns } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { showBytes } from '../../kit/shownFile.ts'
import type { Outcome, Outside, ToolCall } from '../../kit/tool.ts'
import { wordsOf } from './browserLine.ts'
import { openSession, type HeldSession } from './browserSession.ts'
import { recordActs, type Act } from './recordActs.ts'

const kept = 'browser'
const filesMax = 20

/** `lines`: the actions as they were written, if there are several; a failure then names its line. */
export async function actInBrowser(
  call: ToolCall<unknown>,
  outside: Outside,
  actions: Action[],
  lines?: string[],
): Promise<Outcome> {
  const { context, signal } = outside
  const held = await outside.openResources.get(kept, () => openSession(context, call.run, signal))
  const acts: Act[] = []
  try {
    for (const action of actions) {
      const acted = await held.browser.act(action, signal)
      acts.push({ action: wordsOf(action), acted })
      if (acted.error !== undefined) break
    }
    return await outcomeOf(call, outside, held, acts, lines)
  } catch (error) {
    if (!(error instanceof BrowserGone)) throw error
    await outside.openResources.drop(kept)
    return { error: error.message, ...(acts.length > 0 && (await recordOf(call, context, held, acts, undefined))) }
  }
}

async function outcomeOf(
  call: ToolCall<unknown>,
  { context }: Outside,
  held: HeldSession,
  acts: Act[],
  lines: string[] | undefined,
): Promise<Outcome> {
  const last = lastOf(acts).acted
  const files = filesOf(acts)
  const bytes = await Promise.all(files.map(({ path }) => readFile(path)))
  const alongside = {
    ...(await recordOf(call, context, held, acts, await held.browser.state())),
    writes: zip(files, bytes).map(([{ name }, content]) => ({ path: `downloads/${name}`, bytes: content })),
    shows: picturesOf(last),
  }
  const reopened = held.note
  held.note = undefined
  if (last.error !== undefined) return { error: failureOf(acts, lines !== undefined, reopened), ...alongside }
  return { result: resultOf(acts, files, lines, reopened), ...alongside }
}

/** The picture of the timeline, after the last action: the same bytes, in which fields that a login filled are covered. */
function picturesOf({ screenshot, page }: Acted): SeenFile[] {
  if (!screenshot) return []
  const seen = showBytes(`a picture of page ${page.number}`, screenshot.bytes)
  return 'shown' in seen ? [{ ...seen.shown, is_aside: true }] : []
}

/** The last action: a call has at least one. */
const lastOf = (acts: Act[]): Act => mustHave(acts.at(-1), 'the last action of a call')

/** The downloaded files, up to a limit; if two have the same name, the later one counts, as on any disk. */
function filesOf(acts: Act[]): Download[] {
  const named = new Map(acts.flatMap(({ acted }) => acted.downloads).map((file) => [file.name, file]))
  const files = [...named.values()]
  const left = files.splice(filesMax)
  if (left.length > 0)
    lastOf(acts).acted.notes.push(`Only ${filesMax} files of a call are saved; ${left.length} more were not.`)
  return files
}

async function recordOf(
  { run, step }: ToolCall<unknown>,
  context: Context,
  held: HeldSession,
  acts: Act[],
  state: SessionState | undefined,
): Promise<Pick<Outcome, 'record'>> {
  const pictures = acts.flatMap(({ acted }) => acted.screenshot?.bytes ?? [])
  await blobsOfRuns(context, context.db.sql).bring(pictures)
  return { record: (sql) => recordActs(sql, { context, run, step, sessionId: held.id, acts, state }) }
}

function resultOf(acts: Act[], files: Download[], lines: string[] | undefined, reopened: string | undefined) {
  const last = lastOf(acts).acted
  const all = acts.map(({ acted }) => acted)
  const refused = [...new Set(all.flatMap(({ refusals }) => refusals))]
  const notes = [...new Set(all.flatMap((acted) => acted.notes))]
  return {
    ...(reopened !== undefined && { note: reopened }),
    page: pageOf(last),
    // of several reads, the last one counts: the last line of a list usually reads the final page
    content: (lines && acts.findLast(({ action }) => action.startsWith('read'))?.acted.text) ?? last.text,
    ...(lines && {
      lines: acts.map(({ acted }, index) => ({
        line: lines[index] ?? '',
        url: acted.page.url,
        title: acted.page.title,
      })),
    }),
    ...(last.pages.length > 1 && {
      pages: last.pages.map(({ number, url, title, active }) => ({ number, url, title, active })),
    }),
    ...(files.length > 0 && {
      downloads: files.map(({ name, size }) => ({ path: `/workspace/downloads/${name}`, size_bytes: size })),
    }),
    ...(refused.length > 0 && { refused }),
    ...(notes.length > 0 && { notes }),
  }
}

const pageOf = ({ page: { number, url, title } }: Acted) => ({ number, url, title })

/** What failed, and the state now. */
function failureOf(acts: Act[], isList: boolean, reopened: string | undefined): string {
  const { action, acted } = lastOf(acts)
  const { url, title } = acted.page
  return [
    `${isList ? `Line ${acts.length} (${action.slice(0, 200)}): ` : ''}${acted.error}`,
    ...(reopened === undefined ? [] : [reopened]),
    ...acted.refusals.filter((one) => one !== acted.error),
    ...acted.notes,
    `The page is ${JSON.stringify(title)} at ${url}.`,
  ].join(' ')
}
