// Text that an agent or a person wrote, as Markdown. Plain text stands there until the reader of Markdown is loaded.
import { lazy, Suspense, useState } from 'react'
import { count } from './amounts.ts'
import { Button } from './Button.tsx'
import style from './Markdown.module.css'

const Body = lazy(() => import('./MarkdownBody.tsx'))

/** More is drawn only when somebody wants it. */
const shownAtFirst = 40_000
/** More than this is never read as Markdown: a page of a million elements would not move any more. */
const readMax = 400_000

export function Markdown({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > shownAtFirst
  const shown = isCut ? text.slice(0, shownAtFirst) : text
  const plain = <div className={style.plain}>{shown}</div>
  return (
    <div className={style.markdown}>
      {shown.length > readMax ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <Body text={shown} />
        </Suspense>
      )}
      {isCut && <Button onClick={() => setWhole(true)}>Show all ({count(text.length)} characters)</Button>}
    </div>
  )
}
