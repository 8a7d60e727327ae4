// The input of a run while a person writes it: text, or JSON.

export interface MessageDraft {
  kind: 'text' | 'json'
  text: string
}

/** What the draft begins with: the message of another run, or nothing. */
export function draftOf(message: unknown): MessageDraft {
  if (message === undefined || message === null) return { kind: 'text', text: '' }
  if (typeof message === 'string') return { kind: 'text', text: message }
  return { kind: 'json', text: JSON.stringify(message, null, 2) }
}

interface Read {
  /** Undefined: without a message. */
  message?: string | Record<string, unknown>
  /** Why it cannot be sent, as a sentence. */
  problem?: string
}

export function messageOfDraft({ kind, text }: MessageDraft): Read {
  if (text.trim() === '') return {}
  if (kind === 'text') return { message: text }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { message: value as Record<string, unknown> }
    return { problem: 'The JSON must be an object: it begins with { and ends with }.' }
  } catch (error) {
    return { problem: `This is no JSON: ${(error as Error).message}.` }
  }
}

/** The same input in the other form; what cannot be taken over is kept as it is. */
export function inOtherKind({ kind, text }: MessageDraft): MessageDraft {
  return kind === 'text' ? { kind: 'json', text: text.trim() === '' ? '{\n  \n}' : text } : { kind: 'text', text }
}
