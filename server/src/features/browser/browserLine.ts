// Reads one line of a browser block: open, click, type, login, read, screenshot.
import type { Action } from '../../drivers/browser/browser.ts'
import { hostOf, type Leaving } from '../../kit/tool.ts'

export const lineForms =
  'open URL; click Words; type Field = text; login, or login domain; read, or read Words; screenshot'

/** A line that logs in, before anybody has looked for the login. */
interface LoginLine {
  kind: 'login'
  /** Its domain or its id; undefined: the one for the page. */
  login: string | undefined
}

export function readLine(line: string): Exclude<Action, { kind: 'login' }> | LoginLine | { problem: string } {
  const verb = /^\S*/.exec(line.trim())?.[0] ?? ''
  const rest = line.trim().slice(verb.length).trim()
  const equals = rest.indexOf('=')
  switch (verb) {
    case 'open':
      if (rest !== '') return { kind: 'open', url: rest }
      break
    case 'click':
      if (rest !== '') return { kind: 'click', element: rest }
      break
    case 'type':
      // The first = ends the name of the field: a text may hold more of them.
      if (equals > 0)
        return { kind: 'type', element: rest.slice(0, equals).trim(), text: rest.slice(equals + 1).trim() }
      break
    case 'login':
      if (!/\s/.test(rest)) return { kind: 'login', login: rest === '' ? undefined : rest }
      break
    case 'read':
      return rest === '' ? { kind: 'read' } : { kind: 'read', element: rest }
    case 'screenshot':
      if (rest === '') return { kind: 'screenshot' }
      break
  }
  return { problem: `${JSON.stringify(line.slice(0, 80))} is not a browser action. There are: ${lineForms}.` }
}

/** Whether it can be done twice without harm: opening and reading can; clicking and typing may have sent something. */
export function isHarmless(action: { kind: Action['kind'] }): boolean {
  return !['click', 'type', 'select', 'press', 'login'].includes(action.kind)
}

/** What of the world outside these actions touch. Pages may reach further hosts, which the session itself asks about. */
export function leavingOf(actions: readonly ({ kind: 'open'; url: string } | { kind: Action['kind'] })[]): Leaving {
  return {
    isEffect: actions.some((action) => !isHarmless(action)),
    hosts: actions.flatMap((action) => ('url' in action ? (hostOf(action.url) ?? []) : [])),
  }
}

/** A few words for the timeline; what was typed may be a password and is left out. */
export function wordsOf(action: Action): string {
  switch (action.kind) {
    case 'open':
      return `open ${action.url}`
    case 'click':
    case 'type':
      return `${action.kind} ${action.element}`
    case 'select':
      return `select ${action.value} in ${action.element}`
    case 'press':
      return `press ${action.key}`
    case 'read':
      return action.element === undefined ? 'read' : `read ${action.element}`
    case 'scroll':
      return `scroll ${action.to}`
    case 'wait':
      return action.text === undefined ? `wait ${action.seconds ?? 30} s` : `wait for ${action.text}`
    case 'switch':
      return `switch to page ${action.page}`
    case 'login':
      return 'log in'
    case 'back':
    case 'pages':
    case 'screenshot':
  }
  return action.kind
}
