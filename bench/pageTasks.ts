// The tasks of a page as Chromium traces them: how much time of the processor the longest one took.
import type { Page } from 'playwright-core'

interface Traced {
  ph: string
  name: string
  pid: number
  tid: number
  /** Time of the processor, in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/** In milliseconds. */
export async function busiestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const events: Traced[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as Traced[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] },
  })
  try {
    await work()
  } finally {
    const complete = new Promise<void>((resolve) => void session.once('Tracing.tracingComplete', () => resolve()))
    await session.send('Tracing.end')
    await complete
  }
  const threadOf = ({ pid, tid }: Traced): string => `${pid} ${tid}`
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  const tasks = events.filter(
    (event) => event.ph === 'X' && event.name.endsWith('RunTask') && mains.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error('Chromium traced no task of the page')
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}
