// A text of any length: its beginning, and on demand the rest, in pieces that the page can draw.
import { useState } from 'react'
import { count } from './amounts.ts'
import style from './LongText.module.css'
import { endOfPiece } from './textPieces.ts'

interface LongTextProps {
  text: string
  /** How a piece is written: hidden characters made visible, or as JSON. */
  write: (piece: string) => string
}

export function LongText({ text, write }: LongTextProps) {
  const [ends, setEnds] = useState(() => [endOfPiece(text, 0)])
  const shown = ends.at(-1) ?? 0
  const next = endOfPiece(text, shown)
  return (
    <>
      {ends.map((end, at) => (
        // a piece that stands there is not written again
        <span key={end}>{write(text.slice(ends[at - 1] ?? 0, end))}</span>
      ))}
      {shown < text.length && (
        <button type="button" className={style.more} onClick={() => setEnds([...ends, next])}>
          {next === text.length
            ? `… show all (${count(text.length)} characters)`
            : `… show ${count(next - shown)} more of ${count(text.length)} characters`}
        </button>
      )}
    </>
  )
}
