// Files that long work makes, part by part, kept in the browser until they are saved: a reload does not lose them.

const name = 'runyard'
const parts = 'workParts'

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = window.indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(parts))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps no files.')))
  })
}

/** One transaction on the parts. */
async function withParts<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await opened()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(parts, mode)
      const request = use(transaction.objectStore(parts))
      transaction.addEventListener('complete', () => resolve(request.result))
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The browser keeps no files.')))
    })
  } finally {
    database.close()
  }
}

/** Everything of one work, in the order of its pages. */
const ofWork = (work: string): IDBKeyRange => IDBKeyRange.bound([work], [work, []])

/** The same page again replaces what was there. */
export async function addToFile(work: string, page: number, text: string): Promise<void> {
  await withParts('readwrite', (store) => store.put(text, [work, page]))
}

export async function fileOf(work: string, type: string): Promise<Blob> {
  const texts = await withParts<unknown[]>('readonly', (store) => store.getAll(ofWork(work)))
  return new Blob(texts as string[], { type })
}

export async function dropFile(work: string): Promise<void> {
  await withParts('readwrite', (store) => store.delete(ofWork(work)))
}

export function saveFile(blob: Blob, called: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = called
  link.click()
  // the browser has begun to read it by then
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
