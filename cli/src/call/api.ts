// runyard api: any request to the service, with its credential.
import { readFile } from 'node:fs/promises'
import { command, UsageError } from '../command.ts'
import type { Output } from '../output.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const api = command({
  words: 'api',
  needs: 'service',
  // what it sends is answered before it prints
  endsWithReader: true,
  says: 'Send any request to the service.',
  about:
    'In PATH, {team} stands for the team. Fields of -f and -F go into the query of GET and DELETE, and into a JSON body otherwise.',
  positionals: ['METHOD', 'PATH'],
  options: {
    field: { type: 'string', short: 'f', multiple: true, value: 'K=V', says: 'a field that is text' },
    typed: {
      type: 'string',
      short: 'F',
      multiple: true,
      value: 'K=JSON|K=@FILE',
      says: 'a field that is JSON, or the text of a file',
    },
    input: { type: 'string', value: 'JSON|@FILE|-', says: 'the whole body' },
    header: { type: 'string', short: 'H', multiple: true, value: 'NAME:VALUE', says: 'a header' },
    out: { type: 'string', value: 'FILE', says: 'where a file goes; stdout in a pipe' },
  },
  examples: [
    'runyard api GET /v2/teams/{team}/agents',
    'runyard api POST /v2/queues/$QUEUE/cases -F \'case={"title":"Invoice 4711"}\'',
  ],
  async run({ positionals, values, out, signal, service }) {
    const [method = '', path = ''] = positionals
    if (!methods.includes(method.toUpperCase())) throw new UsageError(`METHOD must be one of: ${methods.join(', ')}.`)
    if (!path.startsWith('/')) throw new UsageError('PATH must begin with /, as /v2/teams.')
    const fields = await fieldsOf(values.field ?? [], values.typed ?? [])
    const { typedText, jsonOf } = await import('./fieldValue.ts')
    const whole = values.input === undefined ? undefined : jsonOf(await typedText(values.input), '--input')
    const isQuery = ['GET', 'DELETE'].includes(method.toUpperCase())
    const body = isQuery ? undefined : bodyOf(whole, fields)
    if (isQuery && whole !== undefined) throw new UsageError(`--input does not go with ${method}.`)
    const runyard = await service()
    const filled = path.includes('{team}') ? path.replaceAll('{team}', await runyard.teamId()) : path
    const response = await runyard.request(method.toUpperCase(), filled, {
      signal,
      headers: headersOf(values.header ?? []),
      ...(isQuery && { query: fields as Record<string, string> }),
      ...(body !== undefined && { body }),
    })
    await print(response, values.out, out)
  },
})

async function print(response: Response, file: string | undefined, out: Output): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body) {
    for await (const piece of response.body) {
      out.bytes(piece)
      await out.taken()
    }
  } else if (type.startsWith('application/json') && file === undefined) {
    const text = await response.text()
    if (text !== '') out.line(JSON.stringify(JSON.parse(text), null, 2))
  } else {
    const bytes = new Uint8Array(await response.arrayBuffer())
    const { writeBytes } = await import('./fileOut.ts')
    if (bytes.byteLength > 0) await writeBytes(bytes, file, out)
  }
}

async function fieldsOf(texts: string[], typed: string[]): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const one of texts) {
    const [name, value] = pairOf(one, '=', '-f')
    fields[name] = value
  }
  for (const one of typed) {
    const [name, value] = pairOf(one, '=', '-F')
    fields[name] = value.startsWith('@') ? await readFile(value.slice(1), 'utf8') : typedValue(value)
  }
  return fields
}

/** Text that is not JSON is text. */
function typedValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function bodyOf(whole: unknown, fields: Record<string, unknown>): unknown {
  if (whole === undefined) return Object.keys(fields).length > 0 ? fields : undefined
  if (Object.keys(fields).length === 0) return whole
  if (typeof whole === 'object' && whole !== null && !Array.isArray(whole)) return { ...whole, ...fields }
  throw new UsageError('With -f or -F, --input must be a JSON object.')
}

const headersOf = (headers: string[]): Record<string, string> =>
  Object.fromEntries(headers.map((one) => pairOf(one, ':', '-H')).map(([name, value]) => [name, value.trim()]))

function pairOf(text: string, sign: string, flag: string): [name: string, value: string] {
  const at = text.indexOf(sign)
  if (at < 1) throw new UsageError(`${flag} takes NAME${sign}VALUE, not "${text}".`)
  return [text.slice(0, at), text.slice(at + 1)]
}
