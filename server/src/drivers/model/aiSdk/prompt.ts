// The log of a run as the messages of a request: the next request repeats the messages of the last one unchanged, and adds more.
import { mustHave } from '../../../base/mustHave.ts'
import type { Entry, SeenFile, WantedCall } from '../model.ts'
import { caption, filePart, type LoadedFiles } from './fileParts.ts'
import { readOpaque, type AnswerPart } from './opaque.ts'
import type { Message, Prompt, ProviderOptions } from './provider.ts'

interface Wish {
  system: string
  entries: Entry[]
  /** `provider:model` */
  model: string
  /** False once the provider refused its own reasoning: the turns go back as plain text and calls. */
  withReasoning: boolean
  cacheMark: ProviderOptions | undefined
  /** The bytes of the entries' files. */
  files: LoadedFiles
  /** The provider takes files inside the result of a call; otherwise they follow in a message of their own. */
  filesInResults: boolean
}

type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number]
type UserContent = Extract<Message, { role: 'user' }>['content']
type ResultPart = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>

export function toPrompt({ system, entries, model, withReasoning, cacheMark, ...given }: Wish): Prompt {
  const messages: Message[] = []
  const ids = callIds()
  /** Texts wait for the next answer or the end: results must follow their calls at once, whatever came between. */
  let texts: Said[] = []
  const open = new Map<string, string>()

  const say = (said: typeof texts) => messages.push({ role: 'user', content: userContent(said, given.files) })
  const sayUntil = (seen: number) => {
    for (const [id, name] of open) results(messages).push(resultPart(id, name, noResult))
    open.clear()
    const due = texts.filter(({ index }) => index < seen)
    texts = texts.filter(({ index }) => index >= seen)
    if (due.length > 0) say(due)
    // Providers want a user's message at the beginning and before each answer.
    else if (messages.length === 0) say([{ index: 0, text: 'Begin.' }])
    else if (messages.at(-1)?.role === 'assistant') say([{ index: 0, text: 'Go on.' }])
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
      const { name, files = [], error, result } = entry
      const isOpen = open.delete(id)
      // the result of a failed call is a sentence for every provider
      const isInside = isOpen && given.filesInResults && error === null
      if (isOpen) results(messages).push(resultPart(id, name, entry, isInside ? files : [], given.files))
      else texts.push({ index, text: `Result of ${name}: ${error ?? JSON.stringify(result)}` })
      if (files.length > 0 && !isInside) texts.push({ index, text: caption(name, files), files })
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

interface Said {
  index: number
  text: string
  files?: SeenFile[]
}

/** Texts in a row are one; files stand after the text that names them. */
function userContent(said: Said[], loaded: LoadedFiles): UserContent {
  const content: UserContent = []
  let texts: string[] = []
  const flush = () => {
    const text = texts.join('\n\n')
    if (texts.length > 0) content.push({ type: 'text', text: text.trim() === '' ? '(empty message)' : text })
    texts = []
  }
  for (const { text, files = [] } of said) {
    texts.push(text)
    if (files.length === 0) continue
    flush()
    content.push(...files.map((file) => filePart(file, loaded)))
  }
  flush()
  return content
}

const noResult = { result: null, error: 'This call has no result: it was cut off. Whether it took effect is unknown.' }

/** The results of the turn at hand. */
function results(messages: Message[]): ResultPart[] {
  const last = messages.at(-1)
  if (last?.role === 'tool') return last.content as ResultPart[]
  const content: ResultPart[] = []
  messages.push({ role: 'tool', content })
  return content
}

function resultPart(
  toolCallId: string,
  toolName: string,
  { result, error }: { result: unknown; error: string | null },
  files: SeenFile[] = [],
  loaded: LoadedFiles = new Map(),
): ResultPart {
  if (error !== null) return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: error } }
  if (files.length > 0) {
    // an empty text is refused
    const text = typeof result === 'string' && result.trim() !== '' ? result : JSON.stringify(result ?? null)
    const value = [{ type: 'text' as const, text }, ...files.map((file) => filePart(file, loaded))]
    return { type: 'tool-result', toolCallId, toolName, output: { type: 'content', value } }
  }
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
