// A provider that refuses a request with pictures or PDF files: the run continues without them, and its model is told why.
import { addMessage, newChange, putStep } from '../ledger/change.ts'
import { commit, feed, showView, type HeldRun } from './heldRun.ts'
import type { View } from './modelView.ts'
import { ended } from './releaseRun.ts'
import { shownFiles } from './shownFiles.ts'
import type { Asked } from './turn.ts'

/**
 * A file may look like a picture to us and not to the provider, or have more pages than can be counted. One commit: the end of the refused
 * step, the view without the files, and the sentence for the model. If the request itself was wrong, the next one is refused too, and has none.
 */
export async function goWithoutFiles(
  held: HeldRun,
  { message, step }: Extract<Asked, { kind: 'files_refused' }>,
): Promise<false> {
  const { log, view: before, sight } = held
  const newest = shownFiles(log, before, sight).at(-1)?.step ?? before.dropped
  const view: View = { ...before, dropped: newest }
  const change = newChange(held.run, held.turn)
  putStep(change, ended(step, 'failed', message))
  change.usage = { ...change.usage, steps: 1 }
  change.reserved_usd = '0'
  const says = 'The request was refused with its pictures and PDF files, so they are left out'
  addMessage(change, { type: 'system', role: 'system', text_content: `${says}.`, opaque: { view } })
  const told = `${says}: ${message} Continue with what tools give as text.`
  addMessage(change, { type: 'system', role: 'system', text_content: told })
  await commit(held, change)
  showView(held, view).open()
  feed(held, { kind: 'system', text: told })
  return false
}
