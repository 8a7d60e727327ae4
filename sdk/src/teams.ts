// Teams, and the live stream of everything that happens in one.
import { EventStream, type StreamOptions } from './events.ts'
import { TeamsGroup } from './generated/groups.ts'
import type { EventName, EventsByName, RunyardEvent } from './generated/types.ts'

/** Events after the given position are no longer kept; the stream continues with the oldest that is. */
interface Gap {
  event: 'gap'
  data: { position: number }
}

/** Comes first, with the position from which the stream gives everything. */
interface Start {
  event: 'start'
  data: { position: number }
}

export type TeamStreamEvent<Name extends EventName = EventName> = EventsByName[Name] | Start | Gap

export class Teams extends TeamsGroup {
  /** Every event of the team from now on, or after `after`, over broken connections. Only the signal ends it. */
  events<Name extends EventName = EventName>(
    options: StreamOptions & { events?: readonly Name[] } = {},
  ): EventStream<TeamStreamEvent<Name>> {
    const { events, ...stream } = options
    return new EventStream<TeamStreamEvent<Name>>(
      this.client,
      '/v2/teams/:teamId/events',
      {},
      events ? { events } : {},
      stream,
    )
  }
}

export type { RunyardEvent }
