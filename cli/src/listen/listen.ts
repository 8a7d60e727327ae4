// runyard listen: the events of the team to a program on this machine, as deliveries of a webhook.
import { command } from '../command.ts'
import { listenOptions, wantedOf } from './options.ts'

export const listen = command({
  words: 'listen',
  needs: 'service',
  says: 'Send the events of the team to a URL of this machine, signed as real deliveries.',
  about:
    'Events that happen while it is not running are sent when it starts again; the service keeps them for 24 hours. If the receiver ' +
    'does not answer, the same event is sent again until it does; any answer counts as received. Ctrl-C ends it.',
  options: listenOptions,
  examples: [
    'runyard listen --forward-to http://localhost:3000/webhooks',
    'runyard listen --events run.completed,run.failed --print json',
  ],
  async run(call) {
    const wanted = wantedOf(call.values, call.out.isJson)
    const { followTeam } = await import('./follow.ts')
    await followTeam(await call.service(), call, wanted)
  },
})
