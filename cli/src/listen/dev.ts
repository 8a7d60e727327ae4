// runyard dev: the service and `listen` together, for work on a program that receives events.
import { command } from '../command.ts'
import { listenOptions, wantedOf } from './options.ts'

export const dev = command({
  words: 'dev',
  needs: 'database',
  says: 'Run the service and send its events to a URL of this machine, until Ctrl-C.',
  about:
    'It is `runyard serve` and `runyard listen` in one: the events of the first team are printed, and sent where --forward-to says. The service ' +
    'logs warnings alone unless LOG_LEVEL says otherwise.',
  options: listenOptions,
  examples: ['runyard dev', 'runyard dev --forward-to http://localhost:3000/webhooks'],
  async run(call) {
    const wanted = wantedOf(call.values, call.out.isJson)
    const { serveAndListen } = await import('./serveAndListen.ts')
    return serveAndListen(call, wanted)
  },
})
