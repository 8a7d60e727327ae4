// What an event says, in a line. Its data may be cut, so nothing in it is taken for granted.

type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const textMax = 160

const waits: Record<string, string> = {
  human: 'waits for a person',
  time: 'waits for a time',
  connection: 'waits for a connection',
  sub_run: 'waits for another run',
  capacity: 'waits for a slot',
}

/** Undefined: the event says nothing more than its name. */
export function eventWords(event: string, data: unknown): string | undefined {
  const fields = fieldsOf(data)
  const request = fieldsOf(fields['human_request'])
  switch (event) {
    case 'run.paused':
      return waits[textOf(fieldsOf(fields['waiting_on'])['kind'])]
    case 'run.failed':
      return cut(textOf(fieldsOf(fields['error'])['message']))
    case 'run.completed':
      return textOf(fields['status']) === 'stopped' ? 'stopped' : undefined
    case 'run.message.created':
      return messageWords(fieldsOf(fields['message']))
    case 'run.tool_call.completed':
      return `${textOf(fields['name'])}${fields['ok'] === false ? ` failed: ${textOf(fields['error'])}` : ''}`.slice(
        0,
        textMax,
      )
    case 'run.file.created':
      return cut(textOf(fields['path']))
    case 'human_request.created':
    case 'human_request.responded':
      return cut(textOf(request['title']))
    default:
      return undefined
  }
}

function messageWords({ role, type, text_content: text, tool_call: call }: Fields): string | undefined {
  if (type === 'tool_call') return `calls ${textOf(fieldsOf(call)['name'])}`
  if (type === 'tool_result') return 'a result'
  const who = role === 'user' ? 'to the run' : role === 'assistant' ? 'the agent' : textOf(role)
  return cut(`${who}: ${textOf(text)}`)
}

const cut = (text: string): string | undefined =>
  text === '' ? undefined : text.length > textMax ? `${text.slice(0, textMax)}…` : text

/** The step that the event is about. */
export const stepOfEvent = (data: unknown): number | undefined =>
  numberOf(fieldsOf(data)['step']) ?? numberOf(fieldsOf(fieldsOf(data)['human_request'])['step'])
