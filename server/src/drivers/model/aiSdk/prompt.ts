// The log of a run as the messages of a request: the next request repeats the messages of the last one unchanged, and adds more.
import { mustHave } from '../../../base/mustHave.ts'
import type { Entry, WantedCall } from '../model.ts'
import { readOpaque, type AnswerPart } from './opaque.ts'
import type { Message, Prompt, ProviderOptions } from './provider.ts'
import { seesPictures } from './sight.ts'
import { takePicture, type ToolPicture } from './toolPicture.ts'

interface Wish {
  system: string
  entries: Entry[]
  /** `provider:model` */
  model: string
  /** False once the provider refused its own reasoning: the turns go back as plain text and calls. */
  withReasoning: boolean
  cacheMark: ProviderOptions | undefined
}

type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number]
type ResultPart = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>

export function toPrompt({ system, entries, model, withReasoning, cacheMark }: Wish): Prompt {
  const messages: Message[] = []
  const ids = callIds()
  /** Texts wait for the next answer or the end: results must follow their calls at once, whatever came between. */
  let texts: { index: number; text: string; picture?: ToolPicture | undefined }[] = []
  const open = new Map<string, string>()

  const say = (text: string, pictures: ToolPicture[] = []) =>
    messages.push({
      role: 'user',
      content: [{ type: 'text', text: text.trim() === '' ? '(empty message)' : text }, ...pictures.map(filePart)],
    })
  const sayUntil = (seen: number) => {
    for (const [id, name] of open) results(messages).push(resultPart(id, name, noResult))
    open.clear()
    const due = texts.filter(({ index }) => index < seen)
    texts = texts.filter(({ index }) => index >= seen)
    if (due.length > 0) {
      say(
        due.map(({ text }) => text).join('\n\n'),
        due.flatMap(({ picture }) => picture ?? []),
      )
    }
    // Providers want a user's message at the beginning and before each answer.
    else if (messages.length === 0) say('Begin.')
    else if (messages.at(-1)?.role === 'assistant') say('Go on.')
  }

  for (const [index, entry] of entries.entries()) {
    if (entry.kind === 'user') texts.push({ index, text: entry.text })
    else if (entry.kind === 'system') texts.push({ index, text: `Note from the service: ${entry.text}` })
    else if (entry.kind === 'assistant') {
      const opaque = readOpaque(entry.opaque, model)
      const content = assistantContent(entry, withReasoning ? opaque?.parts : undefined, ids)
      if (content.length === 0) continue
      sayUntil(Math.min(opaque?.seen ?? index, index))
      messages.push({ role: 'assistant', content })
      for (const call of entry.calls) open.set(ids.of(call.id), call.name)
    } else {
      const id = ids.of(entry.call_id)
      const { picture, rest } = takePicture(entry.result)
      if (picture && seesPictures(model)) texts.push({ index, text: `The picture that ${entry.name} gave:`, picture })
      if (open.delete(id)) results(messages).push(resultPart(id, entry.name, { ...entry, result: rest }))
      else texts.push({ index, text: `Result of ${entry.name}: ${entry.error ?? JSON.stringify(rest)}` })
    }
  }
  sayUntil(entries.length)
  const first: Message = { role: 'system', content: system }
  const last = messages.at(-1)
  if (cacheMark && last) {
    first.providerOptions = cacheMark
    last.providerOptions = cacheMark
  }
  return [first, ...messages]
}

const filePart = ({ media_type, base64 }: ToolPicture) => ({
  type: 'file' as const,
  mediaType: media_type,
  data: { type: 'data' as const, data: base64 },
})

const noResult = { result: null, error: 'This call has no result: it was cut off. Whether it took effect is unknown.' }

/** The results of the turn at hand. */
function results(messages: Message[]): ResultPart[] {
  const last = messages.at(-1)
  if (last?.role === 'tool') return last.content as ResultPart[]
  const content: ResultPart[] = []
  messages.push({ role: 'tool', content })
  return content
}

function resultPart(toolCallId: string, toolName: string, of: { result: unknown; error: string | null }): ResultPart {
  const { result, error } = of
  if (error !== null) return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: error } }
  if (typeof result === 'string')
    return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: result } }
  const value = (result ?? null) as Extract<ResultPart['output'], { type: 'json' }>['value']
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'json', value } }
}

function assistantContent(
  entry: Extract<Entry, { kind: 'assistant' }>,
  parts: AnswerPart[] | undefined,
  ids: CallIds,
): AssistantPart[] {
  const known = parts?.filter((part) => part.kind === 'call').length === entry.calls.length ? parts : undefined
  const calls = [...entry.calls]
  return (known ?? plainParts(entry)).flatMap((part): AssistantPart[] => {
    const providerOptions = part.meta ? { providerOptions: part.meta } : {}
    if (part.kind === 'call') {
      const call = mustHave(calls.shift(), 'the call of an answer')
      return [
        {
          type: 'tool-call',
          toolCallId: ids.take(call.id, known && part.id),
          toolName: call.name,
          input: asObject(call),
          ...providerOptions,
        },
      ]
    }
    if (part.text === '' && !part.meta) return []
    return [{ type: part.kind === 'text' ? 'text' : 'reasoning', text: part.text, ...providerOptions }]
  })
}

const plainParts = ({ text, calls }: Extract<Entry, { kind: 'assistant' }>): AnswerPart[] => [
  { kind: 'text', text: text ?? '' },
  ...calls.map(({ id }) => ({ kind: 'call' as const, id })),
]

/** Providers take only objects back, also for arguments that were none. */
function asObject({ arguments: given }: WantedCall): unknown {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  return isObject ? given : { invalid_arguments: given ?? null }
}

interface CallIds {
  take: (ledgerId: string, own: string | undefined) => string
  of: (ledgerId: string) => string
}

/**
 * The provider's own id of a call goes back to it. Without one, or where it gave one twice, the ledger's id is made fit
 * for all: the strictest allows 64 letters, digits, `_` and `-`.
 */
function callIds(): CallIds {
  const taken = new Map<string, string>()
  const used = new Set<string>()
  return {
    take(ledgerId, own) {
      const id = own !== undefined && !used.has(own) ? own : safe(ledgerId)
      used.add(id)
      taken.set(ledgerId, id)
      return id
    },
    of: (ledgerId) => taken.get(ledgerId) ?? safe(ledgerId),
  }
}

const safe = (ledgerId: string): string => ledgerId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-64)
