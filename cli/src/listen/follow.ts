// Follows the events of a team from where the last time ended. One is seen when its receiver has it; without a receiver, when its line is taken.
import type { EventName, Runyard, RunyardEvent } from '../../../sdk/src/index.ts'
import type { Call } from '../command.ts'
import { harmless } from '../output.ts'
import { cursorOf } from './cursor.ts'
import { forwarder, type Received } from './forward.ts'
import type { Wanted } from './options.ts'

/** How long the service may be away before it ends. */
const giveUpAfterMs = 24 * 3600 * 1000

type Around = Pick<Call, 'env' | 'out' | 'signal'>

export async function followTeam(runyard: Runyard, { env, out, signal }: Around, wanted: Wanted): Promise<void> {
  const teamId = await runyard.teamId()
  const { forwardTo, events } = wanted
  const cursor = cursorOf(env, { baseUrl: runyard.baseUrl, teamId, forwardTo, events })
  const after = wanted.from === 'start' ? '0' : wanted.from === 'now' ? undefined : await cursor.read()
  if (wanted.from === undefined && after === undefined)
    out.note(
      'No earlier place is kept for this target and these events, so listening begins now. With --from start it begins with the oldest event that is kept.',
    )
  const forward = forwardTo === undefined ? undefined : forwarder(runyard, forwardTo, out, signal)
  const stream = runyard.teams.events({
    signal,
    giveUpAfterMs,
    ...(after !== undefined && { after }),
    // a name that does not exist is refused by the service, with the list of those that do
    ...(events && { events: events as EventName[] }),
  })
  const seen = async (): Promise<void> => {
    if (stream.position !== undefined) await cursor.write(stream.position)
  }
  try {
    for await (const event of stream) {
      if (event.event === 'start' || event.event === 'gap') {
        if (event.event === 'gap' && wanted.from !== 'start')
          out.note('Some events are no longer kept. Listening continues with the oldest one.')
        else out.note(`Listening to the events of the team ${teamId}. Ctrl-C ends it.`)
        await seen()
        continue
      }
      const received = await forward?.(event)
      // the receiver must not get it twice because nobody reads its line
      if (received) await seen()
      out.line(wanted.isJson ? JSON.stringify({ ...event, ...(received && { received }) }) : lineOf(event, received))
      if ((await out.taken({ signal })) === 'refused') return
      if (!received) await seen()
    }
  } catch (error) {
    // to be ended by hand is its usual end
    if (!signal.aborted) throw error
  }
}

function lineOf(event: RunyardEvent, received: Received | undefined): string {
  const answer = received ? ` → ${received.status} (${received.durationMs} ms)` : ''
  const { run_id } = event.data as { run_id?: string }
  return harmless(`${event.created_at.slice(11, 19)} ${event.event} ${run_id ?? event.id}${answer}`)
}
