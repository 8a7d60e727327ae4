// runyard dev: the service and `listen` together, for work on a receiver.
import { command } from '../command.ts'

export const dev = command({
  words: 'dev',
  needs: 'database',
  says: 'Start the service and, when it is ready, send its events to a URL.',
  options: {
    'forward-to': { type: 'string', value: 'URL', says: 'where each event is sent, as `runyard listen` does' },
    events: { type: 'string', value: 'a,b', says: 'only these kinds' },
  },
  examples: ['runyard dev', 'runyard dev --forward-to http://localhost:3000/webhooks'],
  run: async (call) => (await import('./serveAndListen.ts')).serveAndListen(call),
})
