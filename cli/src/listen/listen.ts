// runyard listen: the events of the team to a program on this machine, as deliveries of a webhook.
import { command, UsageError } from '../command.ts'

export const listen = command({
  words: 'listen',
  needs: 'service',
  says: 'Send the events of the team to a URL of this machine, signed as real deliveries.',
  about:
    'What happens while it is closed comes when it is opened again, for as long as the service keeps events (24 hours). A receiver that is away is ' +
    'tried again, in order; any answer counts as received. Ctrl-C ends it.',
  options: {
    'forward-to': {
      type: 'string',
      value: 'URL',
      says: 'where each event is sent by POST; without it they are only printed',
    },
    events: { type: 'string', value: 'a,b', says: 'only these kinds' },
    from: {
      type: 'string',
      value: 'now|start',
      says: 'begin now, or with the oldest event; where it ended unless given',
    },
    print: { type: 'string', value: 'json', says: 'print each event as one line of JSON' },
  },
  examples: [
    'runyard listen --forward-to http://localhost:3000/webhooks',
    'runyard listen --events run.completed,run.failed --print json',
  ],
  async run(call) {
    const { 'forward-to': forwardTo, events, from, print } = call.values
    if (forwardTo !== undefined && !/^https?:\/\/./.test(forwardTo)) throw new UsageError('--forward-to must be a URL.')
    if (from !== undefined && from !== 'now' && from !== 'start') throw new UsageError('--from must be now or start.')
    if (print !== undefined && print !== 'json') throw new UsageError('--print must be json.')
    const { followTeam } = await import('./follow.ts')
    await followTeam(call, {
      ...(forwardTo !== undefined && { forwardTo }),
      ...(events !== undefined && { events: events.split(',') }),
      ...(from !== undefined && { from }),
      isJson: print === 'json' || call.out.isJson,
    })
  },
})
