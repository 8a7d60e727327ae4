// A name that a stranger wrote, short enough for a title or a sentence.
import { visible } from '../../parts/visibleText.ts'

const lengthMax = 60

export function brief(name: string): string {
  const shown = visible(name)
  return shown.length > lengthMax ? `${shown.slice(0, lengthMax - 1)}…` : shown
}
