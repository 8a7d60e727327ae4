// A bar on stderr that shows how far something is. Nothing in a pipe.
import type { Output } from './output.ts'

/** How often it is drawn at most. */
const everyMs = 100
const barWidth = 24

export interface Progress {
  show: (done: number, total: number | undefined) => void
  /** Takes the bar away. */
  end: () => void
}

export function progressOf(out: Output, label: string, unit: string): Progress {
  if (!out.isLive) return { show: () => undefined, end: () => undefined }
  let drawnAt = 0
  return {
    show(done, total) {
      const now = Date.now()
      if (now - drawnAt < everyMs && done !== total) return
      drawnAt = now
      const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
      const filled = Math.round((share ?? 0) * barWidth)
      const bar =
        share === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${Math.floor(share * 100)}% `
      out.draw(
        `\r\u001b[K${label} ${bar}${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`} ${unit}`,
      )
    },
    end: () => out.draw('\r\u001b[K'),
  }
}
