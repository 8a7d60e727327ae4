// Calls of the API as a user makes them, for what the benches prepare.
import type { Service } from './service.ts'

type Answer = Record<string, unknown>

export const get = (service: Service, path: string): Promise<Answer> => call(service, 'GET', path)

export const post = (service: Service, path: string, body: object): Promise<Answer> => call(service, 'POST', path, body)

export const put = (service: Service, path: string, body: object): Promise<Answer> => call(service, 'PUT', path, body)

export const remove = (service: Service, path: string): Promise<Answer> => call(service, 'DELETE', path)

export const newQueue = async (service: Service, name: string): Promise<string> =>
  (await post(service, `/v2/teams/${service.teamId}/queues`, { name }))['queue_id'] as string

async function call(service: Service, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`http://${service.host}:${service.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} gave ${answer.status}: ${text}`)
  return JSON.parse(text) as Answer
}
