// browser: one action a line.
import type { BlockAction, Draft, NamedLogin } from '../block.ts'
import { misspelt } from '../misspelling.ts'
import { indexOutsideHoles, type Template } from '../template.ts'

/** How a line of it is written, by its first word. */
export const browserUsage: Record<string, string> = {
  open: 'open https://example.com/path',
  click: 'click Save',
  type: 'type Name = text',
  login: 'login, or login shop.example.com',
  read: 'read, or read Total',
  screenshot: 'screenshot',
}

export function browserBlock(draft: Draft): BlockAction {
  const lines: Template[] = []
  const logins: NamedLogin[] = []
  for (const [index, text] of draft.body.split('\n').entries()) {
    if (text.trim() !== '') lines.push(readLine(draft, text.trim(), draft.line + 1 + index, logins))
  }
  if (lines.length === 0)
    draft.tell(
      draft.line,
      `This browser block is empty. Write one action a line: ${Object.keys(browserUsage).join(', ')}.`,
    )
  return { tool: 'browser_do', logins, resolve: (fill) => ({ lines: lines.map(fill) }) }
}

const mayBeAlone = new Set(['login', 'read', 'screenshot'])

function readLine(draft: Draft, text: string, line: number, logins: NamedLogin[]): Template {
  const verb = /^\S*/.exec(text)![0]
  const rest = text.slice(verb.length).trim()
  if (!Object.hasOwn(browserUsage, verb)) {
    draft.tell(
      line,
      `${JSON.stringify(verb.slice(0, 20))} is not a browser action. There are: ${Object.values(browserUsage).join('; ')}.`,
      misspelt(verb, Object.keys(browserUsage)),
    )
  } else if ((rest === '' && !mayBeAlone.has(verb)) || (verb === 'screenshot' && rest !== '')) {
    draft.tell(line, `Write ${browserUsage[verb]}.`)
  } else if (verb === 'login') {
    // a value that comes from outside must not choose who is logged in
    if (/\s|\{\{/.test(rest)) draft.tell(line, 'After login stands the domain or the id of one login, and no value.')
    logins.push({ name: rest === '' ? null : rest, line })
  } else if (verb === 'open') {
    const url = draft.template(rest, line, 'url')
    return { ...url, literals: [`open ${url.literals[0]}`, ...url.literals.slice(1)] }
  } else if (verb === 'type') return readTyping(draft, rest, line)
  return draft.template(rest === '' ? verb : `${verb} ${rest}`, line, 'line')
}

/** The first ` = ` ends the name of the field, so a value before it must not contain one. */
function readTyping(draft: Draft, rest: string, line: number): Template {
  const equals = indexOutsideHoles(rest, '=')
  if (equals < 1 || rest.slice(0, equals).trim() === '') draft.tell(line, `Write ${browserUsage['type']}.`)
  const target = draft.template(`type ${rest.slice(0, Math.max(equals, 0)).trim()} = `, line, 'line')
  for (const hole of target.holes) hole.part = 'target'
  const typed = draft.template(rest.slice(equals + 1).trim(), line, 'line')
  return {
    place: 'line',
    literals: [
      ...target.literals.slice(0, -1),
      target.literals.at(-1)! + typed.literals[0]!,
      ...typed.literals.slice(1),
    ],
    holes: [...target.holes, ...typed.holes],
  }
}
