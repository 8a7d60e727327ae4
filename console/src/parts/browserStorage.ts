// What the browser keeps for the page, for all of its tabs or for one. A browser may forbid it, and then nothing is kept.

function opened(open: () => Storage): Storage | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}

export const storageOfBrowser = (): Storage | undefined => opened(() => window.localStorage)
export const storageOfTab = (): Storage | undefined => opened(() => window.sessionStorage)

const listeners = new Set<() => void>()

/** Keeps a text for all tabs, and tells who listens. */
export function keepForTabs(place: string, text: string): void {
  try {
    storageOfBrowser()?.setItem(place, text)
  } catch (error) {
    // a full storage: what was chosen is as before
    console.warn('The browser cannot keep this.', error)
  }
  for (const listener of listeners) listener()
}

/** Listens to what any tab keeps; what it returns ends that. */
export function listenToKept(listener: () => void): () => void {
  window.addEventListener('storage', listener)
  listeners.add(listener)
  return () => {
    window.removeEventListener('storage', listener)
    listeners.delete(listener)
  }
}
