// The options that `listen` and `dev` share, and what they mean.
import { UsageError, type Values } from '../command.ts'

export const listenOptions = {
  'forward-to': {
    type: 'string',
    value: 'URL',
    says: 'where each event is sent by POST; without it they are only printed',
  },
  events: { type: 'string', value: 'a,b', says: 'only these kinds' },
  from: {
    type: 'string',
    value: 'now|start',
    says: 'begin now, or with the oldest event; unless given, after the last event that was sent to this URL, of these kinds',
  },
  print: { type: 'string', value: 'json', says: 'print each event as one line of JSON' },
} as const

export interface Wanted {
  forwardTo?: string
  events?: string[]
  from?: 'now' | 'start'
  isJson: boolean
}

export function wantedOf(values: Values<typeof listenOptions>, isJson: boolean): Wanted {
  const { 'forward-to': forwardTo, events, from, print } = values
  if (forwardTo !== undefined && !/^https?:\/\/./.test(forwardTo)) throw new UsageError('--forward-to must be a URL.')
  if (from !== undefined && from !== 'now' && from !== 'start') throw new UsageError('--from must be now or start.')
  if (print !== undefined && print !== 'json') throw new UsageError('--print must be json.')
  return {
    ...(forwardTo !== undefined && { forwardTo }),
    ...(events !== undefined && { events: events.split(',') }),
    ...(from !== undefined && { from }),
    isJson: print === 'json' || isJson,
  }
}
