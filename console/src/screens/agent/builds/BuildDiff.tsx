// What one build changes compared with another: the config key by key, then the procedure line by line.
import type { DiffRevisionsAnswer } from '@runyard/sdk'
import { classes } from '../../../look/classes.ts'
import { counted } from '../../../parts/amounts.ts'
import style from './BuildDiff.module.css'
import { readPatch, type Row } from './patch.ts'

type Diff = DiffRevisionsAnswer['diff']

/** More lines than these are drawn only where somebody compares whole builds. */
const rowsMax = 400

export function DiffCounts({ diff }: { diff: Diff }) {
  const { added, removed } = readPatch(diff.procedure)
  const changed = diff.config.length
  return (
    <span className={style.counts}>
      <span className={style.plus} aria-label={`${added + changed} added`}>
        +{added + changed}
      </span>{' '}
      <span className={style.minus} aria-label={`${removed + changed} removed`}>
        −{removed + changed}
      </span>
    </span>
  )
}

/** `2 changes`: places of the procedure, and keys of the config. */
export const changesIn = (diff: Diff): string =>
  counted(diff.config.length + readPatch(diff.procedure).hunks.length, 'change')

export function BuildDiff({ diff }: { diff: Diff }) {
  const { hunks } = readPatch(diff.procedure)
  if (hunks.length === 0 && diff.config.length === 0) return <p className={style.same}>Nothing differs.</p>
  const begun = hunks.map((_, at) => hunks.slice(0, at).reduce((sum, { rows }) => sum + rows.length, 0))
  return (
    // its lines may be longer than the card is wide, and a keyboard must reach their ends
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={style.diff} tabIndex={0} role="region" aria-label="What differs">
      {diff.config.map(({ path, kind, before, after }) => (
        <div key={path}>
          <p className={style.place}>
            {path
              .replace(/^\/data\//, '')
              .replaceAll('/', ' › ')
              .replaceAll('~1', '/')
              .replaceAll('~0', '~')}
          </p>
          {kind !== 'added' && <Line row={{ mark: '-', text: shown(before) }} />}
          {kind !== 'removed' && <Line row={{ mark: '+', text: shown(after) }} />}
        </div>
      ))}
      {hunks.map(({ line, rows }, at) => {
        const drawn = rows.slice(0, Math.max(0, rowsMax - (begun[at] ?? 0)))
        return (
          <div key={at}>
            <p className={style.place}>procedure, line {line}</p>
            {drawn.map((row, n) => (
              <Line key={n} row={row} />
            ))}
            {drawn.length < rows.length && (
              <p className={style.place}>and {counted(rows.length - drawn.length, 'more line')}</p>
            )}
          </div>
        )
      })}
    </div>
  )
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value, null, 1)
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}

const words = { '-': 'removed: ', '+': 'added: ', ' ': '' }

function Line({ row: { mark, text, changed } }: { row: Row }) {
  const [from, to] = changed ?? [0, 0]
  return (
    <div className={classes(style.line, mark === '-' && style.removed, mark === '+' && style.added)}>
      <span aria-hidden>{mark === '-' ? '−' : mark}</span>
      <code>
        {mark !== ' ' && <span className="forReaders">{words[mark]}</span>}
        {from < to ? (
          <>
            {text.slice(0, from)}
            <mark>{text.slice(from, to)}</mark>
            {text.slice(to)}
          </>
        ) : (
          text
        )}
      </code>
    </div>
  )
}
