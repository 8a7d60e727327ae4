// Where the browser keeps long work, and which tab does it: the same for all tabs where the browser has locks, else each tab for itself.
import { storageOfBrowser, storageOfTab } from '../parts/browserStorage.ts'
import type { WorkStore } from './workRecord.ts'

const prefix = 'runyard.work.'

/** Only pages of a safe origin (TLS, or this machine) have locks. Without one, two tabs must not see the same work. */
const locks = (): LockManager | undefined => (navigator as Partial<Navigator>).locks

export function openWorkStore(): WorkStore | undefined {
  const kept = locks() ? storageOfBrowser() : storageOfTab()
  return (
    kept && {
      ids: () =>
        Object.keys(kept)
          .filter((key) => key.startsWith(prefix))
          .map((key) => key.slice(prefix.length)),
      read: (id) => kept.getItem(prefix + id),
      write: (id, text) => kept.setItem(prefix + id, text),
      remove: (id) => kept.removeItem(prefix + id),
    }
  )
}

/** The browser frees the lock of a tab that is closed, reloaded or killed. */
export async function holdWork(id: string, task: () => Promise<void>): Promise<void> {
  const held = locks()
  await (held ? held.request(prefix + id, task) : task())
}

/** Tells of works that another tab has written about. */
export function listenForWork(heard: (id: string) => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key?.startsWith(prefix)) heard(key.slice(prefix.length))
  })
}
