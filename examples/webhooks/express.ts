// Receives webhooks with Express: the raw body comes as bytes, for this path only.
import express, { type Express } from 'express'
import { Runyard, SignatureError, type RunyardEvent } from '@runyard/sdk'

export function webhookApp(secret: string, onEvent: (event: RunyardEvent) => Promise<void> | void): Express {
  const app = express()
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 takes what an async handler throws
  app.post('/webhook', express.raw({ type: 'application/json' }), async (request, response) => {
    try {
      await onEvent(await Runyard.webhooks.unwrap(request.body as Buffer, request.headers, secret))
      response.sendStatus(204)
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error
      response.status(400).send(error.message)
    }
  })
  return app
}
