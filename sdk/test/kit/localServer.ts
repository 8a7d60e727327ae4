// A small HTTP server on loopback that answers as a test says, and keeps what was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface Asked {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  /** A time of performance.now(). */
  at: number
}

type Answering = (response: ServerResponse, asked: Asked, index: number) => void

/** Answers the request with this number, from 0 on; ends with the tests of the file. */
export async function localServer(answering: Answering): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const at = performance.now()
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, path: url, headers, body: Buffer.concat(pieces).toString(), at }
      asked.push(one)
      answering(response, one, asked.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

export function answerJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export const refusal = (error: string): object => ({ error, message: `It says ${error}.` })
