// Reads a request's body with a cap, and closes a connection so that a refusal still arrives.
import type { Socket } from 'node:net'
import { finished } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/errors.ts'

/** The same for a body that must be JSON; no Content-Type counts as JSON. */
export async function readJsonBytes(request: FastifyRequest, bytesMax: number): Promise<Uint8Array | undefined> {
  const bytes = await readBytes(request, bytesMax)
  const type = request.headers['content-type']
  if (bytes && type && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Fault('invalid_request', 'Send the body as JSON, with the header "Content-Type: application/json".')
  }
  return bytes
}

/** The body as it was sent, or undefined for none; what is larger than the cap is not kept and not waited for. */
export async function readBytes({ raw }: FastifyRequest, bytesMax: number): Promise<Buffer | undefined> {
  const tooLarge = () => {
    // Node closes by this method once the answer is written, while the caller may still be sending
    raw.socket.destroySoon = () => closeGently(raw.socket)
    const says = `The body is larger than ${bytesMax} bytes, the most this operation takes.`
    return new Fault('payload_too_large', says, { headers: { connection: 'close' } })
  }
  if (Number(raw.headers['content-length']) > bytesMax) throw tooLarge()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else {
        // goes on reading, into nothing
        chunks.length = 0
        reject(tooLarge())
      }
    })
    finished(raw, { writable: false }, (error) => {
      if (error) reject(new Fault('invalid_request', 'The body ended before it was complete.', { cause: error }))
      else resolve(bytes === 0 ? undefined : Buffer.concat(chunks, bytes))
    })
  })
}

const lingerMs = 1000

/**
 * RFC 9112 §9.6: to close while the other side still sends resets the connection, and an answer that is under way may be
 * lost with it. So our side ends first, and the rest is thrown away, for a moment.
 */
export function closeGently(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}
