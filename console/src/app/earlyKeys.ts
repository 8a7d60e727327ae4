// Keys that are typed before the field that they are meant for is there: they are kept, and nothing else gets them.

export interface EarlyKeys {
  text: () => string
  /** Whether Enter followed. */
  isSent: () => boolean
  stop: () => void
}

export function collectKeys(from: EventTarget, onEscape: () => void): EarlyKeys {
  let text = ''
  let isSent = false
  function keep(event: Event): void {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event as KeyboardEvent
    if (ctrlKey || metaKey || altKey || isComposing) return
    if (key === 'Escape') onEscape()
    else if (key === 'Enter') isSent = text !== ''
    else if (key === 'Backspace') text = text.slice(0, -1)
    else if (key.length === 1) text += key
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  // before anybody else hears it
  from.addEventListener('keydown', keep, { capture: true })
  return {
    text: () => text,
    isSent: () => isSent,
    stop: () => from.removeEventListener('keydown', keep, { capture: true }),
  }
}
