// A JSON value as highlighted text that folds. However large it is, only what is open is drawn.
import { createContext, use, useMemo, useState, type ReactNode } from 'react'
import { classes } from '../look/classes.ts'
import { Icon } from '../look/Icon.tsx'
import { count, counted } from './amounts.ts'
import { useCopied } from './CopyText.tsx'
import style from './Json.module.css'
import {
  entriesOf,
  entriesShown,
  isBranch,
  lineOf,
  openAtFirst,
  previewOf,
  scalarPiece,
  sizeOf,
  type Branch,
  type Piece,
} from './jsonTree.ts'
import { LongText } from './LongText.tsx'
import { textShown } from './textPieces.ts'
import { quoted } from './visibleText.ts'

interface JsonProps {
  value: unknown
  /** How many rows are open at first. */
  rows?: number
  /** Buttons in its corner: wrap, copy. */
  hasTools?: boolean
}

const OpenContext = createContext<Set<Branch>>(new Set())

/** Deeper rows stand below each other: a narrow screen must not be all indentation. */
const indentMax = 12

export function Json({ value, rows = 150, hasTools = true }: JsonProps) {
  const open = useMemo(() => openAtFirst(value, rows), [value, rows])
  const [isWrapped, setWrapped] = useState(true)
  return (
    <div className={style.json}>
      {hasTools && <Tools value={value} isWrapped={isWrapped} onWrap={() => setWrapped(!isWrapped)} />}
      <div className={classes(style.text, !isWrapped && style.long)}>
        <OpenContext value={open}>
          <Item value={value} depth={0} end="" />
        </OpenContext>
      </div>
    </div>
  )
}

function Tools({ value, isWrapped, onWrap }: { value: unknown; isWrapped: boolean; onWrap: () => void }) {
  const [isCopied, copyIt] = useCopied()
  return (
    <div className={style.tools}>
      <button
        type="button"
        aria-pressed={isWrapped}
        aria-label="Wrap long lines"
        title="Wrap long lines"
        onClick={onWrap}
      >
        <Icon name="wrap" size={14} />
      </button>
      <button
        type="button"
        aria-label={isCopied ? 'Copied' : 'Copy JSON'}
        title="Copy JSON"
        onClick={() => void copyIt(JSON.stringify(value, null, 2) ?? '')}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
    </div>
  )
}

interface ItemProps {
  name?: string | undefined
  value: unknown
  depth: number
  /** What stands behind it: a comma, or nothing. */
  end: string
}

function Item({ name, value, depth, end }: ItemProps) {
  if (isBranch(value)) return <BranchItem name={name} value={value} depth={depth} end={end} />
  return (
    <Row>
      <Name name={name} />
      {typeof value === 'string' && value.length > textShown ? (
        <span className={style.string}>
          "<LongText text={value} write={inQuotes} />"
        </span>
      ) : (
        <Pieces of={[scalarPiece(value)]} />
      )}
      {end}
    </Row>
  )
}

function BranchItem({ name, value, depth, end }: ItemProps & { value: Branch }) {
  const open = use(OpenContext)
  const [isOpen, setOpen] = useState(() => open.has(value))
  const [shown, setShown] = useState(entriesShown)
  const line = depth > 0 || sizeOf(value) === 0 ? lineOf(value) : undefined
  if (line)
    return (
      <Row>
        <Name name={name} />
        <Pieces of={line} />
        {end}
      </Row>
    )
  const [begin, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const size = sizeOf(value)
  const says = Array.isArray(value) ? counted(size, 'entry', 'entries') : counted(size, 'field')
  const called = name === undefined ? says : `${name}, ${says}`
  const fold = (
    <button
      type="button"
      className={style.fold}
      aria-expanded={isOpen}
      aria-label={isOpen ? `Fold ${called}` : `Open ${called}`}
      onClick={() => setOpen(!isOpen)}
    >
      <Icon name={isOpen ? 'down' : 'right'} size={12} />
    </button>
  )
  if (!isOpen)
    return (
      <Row>
        {fold}
        <Name name={name} />
        {begin}
        <Pieces of={previewOf(value)} />
        {close}
        {end} <span className={style.note}>{says}</span>
      </Row>
    )
  const entries = entriesOf(value, shown)
  return (
    <>
      <Row>
        {depth > 0 && fold}
        <Name name={name} />
        {begin}
      </Row>
      <div className={classes(depth < indentMax && style.inside)}>
        {entries.map(({ name: key, item }, at) => (
          <Item key={key ?? at} name={key} value={item} depth={depth + 1} end={at < size - 1 ? ',' : ''} />
        ))}
        {size > shown && (
          <Row>
            <button type="button" className={style.more} onClick={() => setShown(shown + entriesShown)}>
              show {count(Math.min(entriesShown, size - shown))} more of {count(size - shown)}
            </button>
          </Row>
        )}
      </div>
      <Row>
        {close}
        {end}
      </Row>
    </>
  )
}

const Row = ({ children }: { children: ReactNode }) => <div className={style.row}>{children}</div>

const Name = ({ name }: { name: string | undefined }) =>
  name !== undefined && (
    <>
      <span className={style.key}>{quoted(name.length > textShown ? `${name.slice(0, textShown)}…` : name)}</span>:{' '}
    </>
  )

/** What stands between the quotes. */
const inQuotes = (text: string): string => quoted(text).slice(1, -1)

export const Pieces = ({ of: pieces }: { of: Piece[] }) =>
  pieces.map(({ text, kind }, at) => (
    <span key={at} className={kind === 'plain' ? undefined : kind === 'key' ? style.key : style.string}>
      {text}
    </span>
  ))
