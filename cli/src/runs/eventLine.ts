// One event of a run as one line for people.
import type { RunStreamEvent } from '../../../sdk/src/index.ts'
import { harmless } from '../output.ts'
import { cutTo } from '../screenWidth.ts'
import { tookText } from '../times.ts'

/** Undefined for what is not worth a line: pieces of a text that comes whole later. */
export function eventLine(event: RunStreamEvent, width: number): string | undefined {
  const text = textOf(event)
  if (text === undefined) return undefined
  const time = 'created_at' in event ? event.created_at.slice(11, 19) : ' '.repeat(8)
  return cutTo(harmless(`${time}  ${event.event.padEnd(24)}  ${text}`), width)
}

function textOf(event: RunStreamEvent): string | undefined {
  switch (event.event) {
    case 'run.started':
      return event.data.title ?? ''
    case 'run.paused':
      return `waits for ${waitText[event.data.waiting_on.kind]}`
    case 'run.completed':
      return event.data.status
    case 'run.failed':
      return event.data.error.message
    case 'run.tool_call.completed': {
      const { name, error, duration_ms } = event.data
      return `${name}  ${tookText(duration_ms)}${error === null ? '' : `  ${error}`}`
    }
    case 'run.message.created': {
      const { role, text_content, tool_call, tool_result } = event.data.message
      return `${role}: ${text_content ?? (tool_call ? `calls ${tool_call.name}` : JSON.stringify(tool_result?.result ?? tool_result?.error ?? ''))}`
    }
    case 'run.file.created':
      return `${event.data.path}  ${event.data.size_bytes} bytes`
    case 'human_request.created':
      return event.data.human_request.title
    case 'human_request.responded':
      return `${event.data.human_request.status}: ${event.data.human_request.title}`
    default:
      return undefined
  }
}

const waitText = {
  human: 'a person',
  time: 'a time',
  connection: 'a connection',
  sub_run: 'a sub-run',
  capacity: 'capacity',
} as const

export const waitingText = (kind: keyof typeof waitText): string => waitText[kind]
