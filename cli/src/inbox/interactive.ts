// The inbox in a terminal: a list to choose from, the chosen request below it, and keys that answer it.
import { ConflictError, type HumanRequest, type PendingRequest, type Runyard } from '../../../sdk/src/index.ts'
import { exit } from '../command.ts'
import type { Key } from '../keyboard.ts'
import { harmless } from '../output.ts'
import { cutTo, padTo, widthOf } from '../screenWidth.ts'
import { ageOf } from '../times.ts'
import { askPerson, isYesOrNo, rejectWithReason, type Asking } from './askPerson.ts'
import { wholeRequest } from './findRequest.ts'
import { requestLines } from './requestLines.ts'

interface Inbox extends Asking {
  runyard: Runyard
  filter: { assignee_user_id?: string }
  /** Stays open when nothing waits. */
  stays: boolean
}

/** How often the list is read again while nobody presses a key: a cancelled request has no event. */
const refreshMs = 2000
/** How many requests are shown at once. */
const listedMax = 8
/** How many lines the screen has beside the list and the chosen request. */
const keptLines = 4

interface State {
  pending: PendingRequest[]
  chosen: number
  /** How many lines stand on the screen. */
  drawn: number
  /** Whether the chosen request is shown to its last line. */
  isWhole: boolean
}

export function interactiveInbox(inbox: Inbox): Promise<number> {
  return inbox.keyboard.hold(() => openInbox(inbox))
}

async function openInbox(inbox: Inbox): Promise<number> {
  const { keyboard, out, signal } = inbox
  const state: State = { pending: await read(inbox), chosen: 0, drawn: 0, isWhole: false }
  try {
    for (;;) {
      if (state.pending.length === 0 && !inbox.stays) {
        erase(inbox, state)
        out.note('Nothing waits for a person.')
        return exit.done
      }
      draw(inbox, state)
      const key = await keyOrRefresh(inbox)
      if (key && ['q', 'escape', 'ctrl-d'].includes(key.name)) return exit.done
      if (!key) await refresh(inbox, state)
      else if (move(state, key) || !(await act(inbox, state, key))) continue
      else await refresh(inbox, state)
    }
  } catch (error) {
    if (signal.aborted) return exit.interrupted
    throw error
  } finally {
    erase(inbox, state)
    keyboard.close()
  }
}

async function read({ runyard, filter, signal }: Inbox): Promise<PendingRequest[]> {
  const { human_requests } = await runyard.humanRequests
    .list({ status: 'pending', limit: 50, ...filter }, { signal })
    .page()
  return Promise.all(human_requests.map(async (one) => runyard.humanRequests.of(await wholeRequest(runyard, one))))
}

/** The same request stays chosen, wherever it stands now. */
async function refresh(inbox: Inbox, state: State): Promise<void> {
  const id = state.pending[state.chosen]?.request.id
  state.pending = await read(inbox)
  const index = state.pending.findIndex(({ request }) => request.id === id)
  // another one takes its position: a key that was meant for the first must not answer it
  if (id !== undefined && index === -1) await inbox.keyboard.forget()
  state.chosen = index === -1 ? Math.min(state.chosen, Math.max(0, state.pending.length - 1)) : index
}

/** Undefined when it is time to read the list again. */
async function keyOrRefresh({ keyboard, signal }: Inbox): Promise<Key | undefined> {
  const late = AbortSignal.timeout(refreshMs)
  try {
    return await keyboard.key(AbortSignal.any([signal, late]))
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error
    return undefined
  }
}

function move(state: State, { name }: Key): boolean {
  const last = Math.max(0, state.pending.length - 1)
  if (name === 'down' || name === 'j') state.chosen = Math.min(last, state.chosen + 1)
  else if (name === 'up' || name === 'k') state.chosen = Math.max(0, state.chosen - 1)
  else return false
  return true
}

/** True when the list may have changed. */
async function act(inbox: Inbox, state: State, { name }: Key): Promise<boolean> {
  const pending = state.pending[state.chosen]
  if (!pending || !['a', 'r', 'return', 'enter'].includes(name)) return false
  const { out } = inbox
  const { title } = pending.request
  erase(inbox, state)
  // nobody approves what was not shown to its last line
  if (!isYesOrNo(pending.request) || !state.isWhole || name === 'return' || name === 'enter')
    return askPerson(pending, inbox)
  try {
    const answered = name === 'a' ? await pending.approve() : await rejectWithReason(pending, inbox)
    if (answered) out.note(`${name === 'a' ? 'Approved' : 'Rejected'}: ${harmless(title)}`)
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    out.note(error.message)
  }
  return true
}

/** One write, so that nothing flickers. */
function draw({ out }: Inbox, state: State): void {
  const { pending, chosen } = state
  const listed = Math.max(1, Math.min(listedMax, Math.floor(out.height / 3)))
  const first = Math.max(0, Math.min(chosen - listed + 1, pending.length - listed))
  const rows = pending.slice(first, first + listed)
  const request = pending[chosen]?.request
  const all = request ? requestLines(request) : []
  const shownMax = Math.max(1, out.height - rows.length - keptLines)
  const lines = [
    headOf(pending.length, request),
    ...rows.map(({ request: one }, index) => rowOf(one, first + index === chosen, out.width)),
    '',
    ...all.slice(0, shownMax),
    ...(all.length > shownMax ? ['  … Enter shows all of it'] : []),
  ].map((line) => cutTo(line, out.width - 1))
  state.isWhole = all.length <= shownMax && all.every((line) => widthOf(line) < out.width)
  out.draw(`${erasing(state)}${lines.map((line) => `${line}\n`).join('')}`)
  state.drawn = lines.length
}

/** With the keys that the chosen request takes. */
function headOf(count: number, request: HumanRequest | undefined): string {
  if (!request) return 'Nothing waits for a person. q quits.'
  const yes = request.type === 'login' ? 'a logged in' : 'a approve'
  return [
    `${count} waiting`,
    '↑↓ choose',
    ...(isYesOrNo(request) ? [yes, 'r reject'] : []),
    'Enter answer',
    'q quit',
  ].join(' · ')
}

function rowOf({ type, title, created_at }: HumanRequest, isChosen: boolean, width: number): string {
  const age = ageOf(created_at).padStart(4)
  const room = width - 2 - 10 - age.length - 3
  return `${isChosen ? '❯' : ' '} ${padTo(type, 10)}${padTo(cutTo(harmless(title), room), room)} ${age}`
}

/** What takes the list from the screen. */
function erasing(state: State): string {
  const { drawn } = state
  state.drawn = 0
  return drawn > 0 ? `\u001b[${drawn}A\r\u001b[J` : ''
}

const erase = ({ out }: Inbox, state: State): void => out.draw(erasing(state))
