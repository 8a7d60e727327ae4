// One event of a run as one line for people.
import type { EventName, EventsByName, Message, RunStreamEvent } from '../../../sdk/src/index.ts'
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

type Texts = { [Name in EventName]?: (data: EventsByName[Name]['data']) => string }

const texts: Texts = {
  'run.started': ({ title }) => title ?? '',
  'run.paused': ({ waiting_on }) => `waits for ${waitText[waiting_on.kind]}`,
  'run.completed': ({ status }) => status,
  'run.failed': ({ error }) => error.message,
  'run.tool_call.completed': ({ name, error, duration_ms }) =>
    `${name}  ${tookText(duration_ms)}${error === null ? '' : `  ${error}`}`,
  'run.message.created': ({ message }) => `${message.role}: ${messageText(message)}`,
  'run.file.created': ({ path, size_bytes }) => `${path}  ${size_bytes} bytes`,
  'human_request.created': ({ human_request }) => human_request.title,
  'human_request.responded': ({ human_request }) => `${human_request.status}: ${human_request.title}`,
}

function messageText({ text_content, tool_call, tool_result }: Message): string {
  if (text_content !== null) return text_content
  return tool_call ? `calls ${tool_call.name}` : JSON.stringify(tool_result?.result ?? tool_result?.error ?? '')
}

function textOf({ event, data }: RunStreamEvent): string | undefined {
  const text = Object.hasOwn(texts, event) ? (texts[event as EventName] as (of: unknown) => string) : undefined
  return text?.(data)
}

const waitText = {
  human: 'a person',
  time: 'a time',
  connection: 'a connection',
  sub_run: 'a sub-run',
  capacity: 'capacity',
} as const
