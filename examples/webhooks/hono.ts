// Receives webhooks with Hono, wherever it runs.
import { Hono } from 'hono'
import { Runyard, SignatureError, type RunyardEvent } from '@runyard/sdk'

export function webhookApp(secret: string, onEvent: (event: RunyardEvent) => Promise<void> | void): Hono {
  const app = new Hono()
  app.post('/webhook', async (context) => {
    try {
      await onEvent(await Runyard.webhooks.unwrap(await context.req.text(), context.req.raw.headers, secret))
      return context.body(null, 204)
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error
      return context.text(error.message, 400)
    }
  })
  return app
}
