// Receives webhooks with Next: the file `app/webhook/route.ts`. The secret is in the environment.
import { Runyard, SignatureError, type RunyardEvent } from '@runyard/sdk'

export async function POST(request: Request): Promise<Response> {
  try {
    await handle(
      await Runyard.webhooks.unwrap(await request.text(), request.headers, process.env['WEBHOOK_SECRET'] ?? ''),
    )
    return new Response(null, { status: 204 })
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
    return new Response(error.message, { status: 400 })
  }
}

/** What your program does with an event. It may come more than once: `event.id` stays the same. */
async function handle(event: RunyardEvent): Promise<void> {
  if (event.event === 'run.completed') console.log(`The run ${event.data.run_id} has completed.`)
}
