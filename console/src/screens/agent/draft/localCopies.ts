// What was typed and is not saved yet, kept in this browser: it survives a reload, a crash and a night without the service.
import type { BuildConfig } from '@runyard/sdk'

export interface LocalCopy {
  config: BuildConfig
  /** The `updated_at` of the build that it changes, as it was read. */
  basedOn: string
  /** When it was kept. */
  at: string
}

export interface LocalCopies {
  read: (buildId: string) => LocalCopy | undefined
  /** False: this browser keeps nothing. */
  keep: (buildId: string, copy: LocalCopy) => boolean
  drop: (buildId: string) => void
}

/** So that what was forgotten does not fill the browser's space. */
const copiesMax = 20

/** Copies of one person in one team, for a browser may be shared. */
export function localCopies(storage: Storage | undefined, owner: string): LocalCopies {
  const prefix = `runyard.draft.${owner}.`
  return {
    read(buildId) {
      const text = storage?.getItem(prefix + buildId)
      return text ? parsed(text) : undefined
    },
    keep(buildId, copy) {
      if (!storage) return false
      try {
        dropOldest(storage, prefix, prefix + buildId)
        storage.setItem(prefix + buildId, JSON.stringify(copy))
        return true
      } catch {
        // full, or forbidden: the page says that the text is nowhere but on it
        return false
      }
    },
    drop: (buildId) => storage?.removeItem(prefix + buildId),
  }
}

function parsed(text: string): LocalCopy | undefined {
  try {
    const copy = JSON.parse(text) as Partial<LocalCopy> | null
    const isWhole = typeof copy?.basedOn === 'string' && typeof copy.at === 'string' && copy.config?.data !== undefined
    return isWhole ? (copy as LocalCopy) : undefined
  } catch {
    return undefined
  }
}

function dropOldest(storage: Storage, prefix: string, besides: string): void {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
  const others = keys.filter((key) => key.startsWith(prefix) && key !== besides)
  if (others.length < copiesMax) return
  const dated = others.map((key) => ({ key, at: parsed(storage.getItem(key) ?? '')?.at ?? '' }))
  const oldest = dated.toSorted((one, other) => (one.at < other.at ? -1 : 1)).slice(0, others.length - copiesMax + 1)
  for (const { key } of oldest) storage.removeItem(key)
}
