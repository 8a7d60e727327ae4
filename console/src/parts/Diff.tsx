// What changed between two texts, below each other or side by side. What did not change is folded.
import { lazy, Suspense, useState } from 'react'
import { Button } from './Button.tsx'
import style from './CodeEditor.module.css'
import type { CodeLanguage } from './codeLanguage.ts'

const Body = lazy(() => import('./DiffBody.tsx'))

interface DiffProps {
  before: string
  after: string
  language?: CodeLanguage
  /** What is compared, for screen readers: `Build 11 and build 12`. */
  label: string
  /** How it is shown at first. */
  mode?: DiffMode
}

export type DiffMode = 'unified' | 'split'

export function Diff({ before, after, language = 'plain', label, mode: first = 'unified' }: DiffProps) {
  const [mode, setMode] = useState(first)
  const [isWhole, setWhole] = useState(false)
  if (before === after) return <p className="dim">Nothing differs.</p>
  return (
    <figure className={style.diff} aria-label={label}>
      <figcaption className={style.diffHead}>
        <span>{label}</span>
        <Button kind="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          All lines
        </Button>
        <Button
          kind="quiet"
          aria-pressed={mode === 'split'}
          onClick={() => setMode(mode === 'split' ? 'unified' : 'split')}
        >
          Side by side
        </Button>
      </figcaption>
      <div className={style.diffBody}>
        <Suspense fallback={<pre className={style.before}>{after}</pre>}>
          <Body before={before} after={after} language={language} label={label} mode={mode} isWhole={isWhole} />
        </Suspense>
      </div>
    </figure>
  )
}
