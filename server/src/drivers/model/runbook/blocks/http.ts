// http: a request line, headers, an empty line, a body.
import { withoutBlankEdges, type BlockAction, type Draft, type Line } from '../block.ts'
import { misspelt } from '../misspelling.ts'
import type { Template } from '../template.ts'

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']
/** How its first line begins. */
export const httpUsage = Object.fromEntries(methods.map((method) => [method, `${method} https://example.com/items`]))
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

export function httpBlock(draft: Draft): BlockAction {
  const lines = draft.body.split('\n')
  const first = lines.findIndex((text) => text.trim() !== '')
  const { method, url } = requestLine(draft, lines[first] ?? '', draft.line + 1 + Math.max(first, 0))
  const blank = lines.findIndex((text, index) => index > first && text.trim() === '')
  const end = blank === -1 ? lines.length : blank
  const headers = readHeaders(draft, lines.slice(first + 1, end), draft.line + 2 + first)
  const body = readBody(draft, withoutBlankEdges(lines.slice(end), draft.line + 1 + end), headers)
  if (body && (method === 'GET' || method === 'HEAD'))
    draft.tell(draft.line, `A ${method} request has no body. Use POST, or remove it.`)
  const connection = draft.attributes.get('connection')
  return {
    tool: 'http_request',
    resolve: (fill) => ({
      method,
      url: fill(url),
      ...(headers.size > 0 && {
        headers: Object.fromEntries([...headers].map(([name, value]) => [name, fill(value)])),
      }),
      ...(body && { body: fill(body) }),
      ...(connection !== undefined && { connection }),
    }),
  }
}

function requestLine(draft: Draft, text: string, line: number): { method: string; url: Template } {
  const trimmed = text.trim()
  const space = trimmed.search(/\s/)
  const method = space === -1 ? trimmed : trimmed.slice(0, space)
  if (space === -1) draft.tell(line, 'The first line of an http block is METHOD URL: GET https://example.com/items.')
  else if (!methods.includes(method)) {
    const says = `${JSON.stringify(method.slice(0, 20))} is not an HTTP method. Use ${methods.join(', ')}.`
    draft.tell(line, says, misspelt(method, methods))
  }
  const url = space === -1 ? '' : trimmed.slice(space).trim()
  return { method, url: draft.template(url, line, url === '' ? 'text' : 'url') }
}

function readHeaders(draft: Draft, lines: string[], firstLine: number): Map<string, Template> {
  const headers = new Map<string, Template>()
  const seen = new Set<string>()
  for (const [index, text] of lines.entries()) {
    const line = firstLine + index
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(colon, 0)).trim()
    if (!headerName.test(name)) {
      draft.tell(line, 'A header is Name: value, with the name written out. An empty line stands before the body.')
      continue
    }
    if (seen.has(name.toLowerCase())) draft.tell(line, `The header ${name} stands twice. Keep one.`)
    seen.add(name.toLowerCase())
    const value = draft.template(text.slice(colon + 1).trim(), line, 'header')
    if (value.literals.some((literal) => !isHeaderText(literal))) {
      draft.tell(line, `The header ${name} holds a sign that headers cannot carry. Use plain Latin letters.`)
    }
    headers.set(name, value)
  }
  return headers
}

/** RFC 9110 §5.5, as bytes. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)

function readBody(draft: Draft, { text, line }: Line, headers: Map<string, Template>): Template | undefined {
  if (text === '') return undefined
  const type = [...headers].find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const said = type?.literals.join('').toLowerCase() ?? ''
  if (said.includes('json') || (!type && /^(?:\{(?!\{)|\[)/.test(text))) {
    if (!type) headers.set('Content-Type', draft.template('application/json', line, 'header'))
    return draft.template(
      text,
      line,
      'json_text',
      type ? 'body' : 'body (say Content-Type: text/plain where it is none)',
    )
  }
  return draft.template(text, line, said.includes('x-www-form-urlencoded') ? 'form' : 'text')
}
