// What an answer means for the run: continue with these calls, done with this output, or failed for this reason.
import { parseBounded } from '../../../base/boundedJson.ts'
import { ContextExceeded, ModelTrouble, type TokenUsage, type Turn, type WantedCall } from '../model.ts'
import type { Answer } from './answer.ts'
import type { Opaque } from './opaque.ts'

interface Asked {
  title: string
  /** `provider:model` */
  model: string
  seen: number
  wantsJson: boolean
}

export function toTurn({ parts, finish, usage }: Answer, { title, model, seen, wantsJson }: Asked): Turn {
  const texts = parts.flatMap((part) => (part.kind === 'text' && part.text !== '' ? [part] : []))
  const text = texts.map((part) => part.text).join('\n\n')
  const thinking = parts
    .flatMap((part) => (part.kind === 'thinking' && part.text !== '' ? [part.text] : []))
    .join('\n\n')
  const calls = parts.flatMap((part): WantedCall[] =>
    part.kind === 'call' ? [{ id: part.id, name: part.name, arguments: readArguments(part.input) }] : [],
  )
  const said = { text: text === '' ? null : text, thinking: thinking === '' ? null : thinking, usage }
  const failed = (code: string, message: string): Turn => {
    return { ...said, calls: [], ending: { kind: 'failed', code, message }, opaque: null }
  }

  switch (finish?.unified) {
    case undefined:
    case 'interrupted':
    case 'error':
      throw new ModelTrouble(
        `The answer of ${title} broke off before its end${reason(finish?.raw)}.`,
        reportedUsage(usage),
      )
    case 'length':
      if (finish.raw === 'model_context_window_exceeded') {
        const message =
          'The run no longer fits the context of the model. Let it do less, or use a model with a larger context.'
        throw new ContextExceeded('output_truncated', message, reportedUsage(usage))
      }
      return failed(
        'output_truncated',
        'The answer of the model was cut off at its limit of output tokens. Raise that limit, or ask for less at once.',
      )
    case 'content-filter':
      return failed(
        'model_refused',
        `The model refused to answer${text === '' ? reason(finish.raw) : `: ${text}`}. Change what it is asked, or use another model.`,
      )
    case 'stop':
    case 'tool-calls':
    case 'other':
  }
  const opaque: Opaque = {
    model,
    seen,
    parts: parts.map((part) => {
      return part.kind === 'call' ? { kind: 'call', id: part.id, ...(part.meta ? { meta: part.meta } : {}) } : part
    }),
  }
  if (calls.length > 0) return { ...said, calls, ending: { kind: 'calls' }, opaque }
  if (text.trim() === '' || finish.unified === 'tool-calls') {
    throw new ModelTrouble(`${title} answered with neither text nor a call${reason(finish.raw)}.`, reportedUsage(usage))
  }
  const answer = finalText(texts) ?? text
  return { ...said, calls: [], ending: { kind: 'done', output: wantsJson ? readJson(answer) : answer }, opaque }
}

/** Undefined: the provider did not say. */
const reportedUsage = (usage: TokenUsage): { usage: TokenUsage | undefined } => ({
  usage: usage.input_tokens + usage.output_tokens > 0 ? usage : undefined,
})

const reason = (raw: string | undefined): string => (raw === undefined ? '' : ` (${raw})`)

/** OpenAI marks which texts are remarks on the way and which are its answer. */
function finalText(texts: { text: string; meta?: Record<string, Record<string, unknown>> }[]): string | undefined {
  const final = texts.filter(({ meta }) => meta?.openai?.phase === 'final_answer')
  return final.length === 0 ? undefined : final.map(({ text }) => text).join('\n\n')
}

/** What is not JSON stays unchanged: the engine's check of the arguments reports it to the model. */
function readArguments(input: string): unknown {
  if (input.trim() === '') return {}
  try {
    return parseBounded(input)
  } catch {
    return input
  }
}

/** Models often put JSON into a fenced block. What is not JSON stays text: the engine checks it against the schema and reports it. */
function readJson(text: string): unknown {
  const inside = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text
  try {
    return parseBounded(inside)
  } catch {
    return text
  }
}
