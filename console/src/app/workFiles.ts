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

/** One part as it was added. */
export async function partOf(work: string, page: number): Promise<string> {
  const text = await withParts<unknown>('readonly', (store) => store.get([work, page]))
  if (typeof text !== 'string') throw new Error('This browser no longer has the rows of the file. Import it again.')
  return text
}

export async function fileOf(work: string, type: string): Promise<Blob> {
  const texts = await withParts<unknown[]>('readonly', (store) => store.getAll(ofWork(work)))
  return new Blob(texts as string[], { type })
}

export async function dropFile(work: string): Promise<void> {
  await withParts('readwrite', (store) => store.delete(ofWork(work)))
}

/** What stands for a file that has arrived. */
export const arrived = 'arrived'

/** Keeps a file that is still to be sent, or the mark that it has arrived. */
export async function keepToSend(work: string, item: string, file: Blob | typeof arrived): Promise<void> {
  await withParts('readwrite', (store) => store.put(file, [work, item]))
}

export async function keptToSend(work: string, item: string): Promise<Blob | typeof arrived | undefined> {
  const kept = await withParts<unknown>('readonly', (store) => store.get([work, item]) as IDBRequest<unknown>)
  return kept instanceof Blob || kept === arrived ? kept : undefined
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
