// What the address of the events holds: the tab, its filters, the page, and what is open.
import type { Delivery, TeamEvent } from '@runyard/sdk'
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'

export const eventTabs = ['log', 'deliveries', 'receivers'] as const

export const eventKinds: readonly TeamEvent['event'][] = [
  'run.started',
  'run.paused',
  'run.completed',
  'run.failed',
  'run.message.created',
  'run.tool_call.completed',
  'run.file.created',
  'human_request.created',
  'human_request.responded',
  'queue.case.created',
  'queue.case.claimed',
  'queue.case.completed',
  'assignment.build.published',
  'connection.updated',
  'connection.action_required',
]

export const deliveryStates: readonly Delivery['status'][] = ['new', 'retrying', 'replaying', 'delivered', 'dead']

export const timeSpans = ['1h', '24h', '7d'] as const
export type TimeSpan = (typeof timeSpans)[number]

export const readEventsSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(eventTabs, raw['tab']),
    event: oneOf(eventKinds, raw['event']),
    run: text(raw['run'])?.slice(0, 100),
    within: oneOf(timeSpans, raw['within']),
    before: text(raw['before'])?.slice(0, 100),
    open: text(raw['open'])?.slice(0, 100),
    status: oneOf(deliveryStates, raw['status']),
    receiver: text(raw['receiver'])?.slice(0, 100),
    page: whole(raw['page']),
    delivery: text(raw['delivery'])?.slice(0, 100),
  })

export type EventsSearch = ReturnType<typeof readEventsSearch>
