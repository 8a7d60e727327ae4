// An element of a page that a person selected, as the frame told of it. The page is made by strangers, so what it tells is checked.
import type { SendArtifactMessageInput } from '@runyard/sdk'

export type Selected = NonNullable<SendArtifactMessageInput['selected_element']>

export type FrameNews = { kind: 'ready' } | { kind: 'cancelled' } | { kind: 'selected'; selected: Selected }

const textOf = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && value.length <= max ? value : undefined

/** Undefined: it is not a message of the service's own script. */
export function readFrameNews(data: unknown): FrameNews | undefined {
  if (typeof data !== 'object' || data === null || !('runyard' in data) || data.runyard !== 'artifact') return undefined
  if ('ready' in data) return { kind: 'ready' }
  if ('cancelled' in data) return { kind: 'cancelled' }
  if (!('selected' in data) || typeof data.selected !== 'object' || data.selected === null) return undefined
  const given = data.selected as Record<string, unknown>
  const selector = textOf(given['selector'], 2000)
  const label = textOf(given['label'], 500)
  const tag_name = textOf(given['tag_name'], 100)
  const text = textOf(given['text'], 10_000)
  const outer_html = textOf(given['outer_html'], 50_000)
  if (selector === undefined || label === undefined || tag_name === undefined || outer_html === undefined)
    return undefined
  return {
    kind: 'selected',
    selected: { selector, label, tag_name, ...(text !== undefined && { text }), outer_html },
  }
}
