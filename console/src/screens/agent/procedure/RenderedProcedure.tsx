// The procedure as it is read: its text as Markdown, its steps as what they are.
import { useMemo } from 'react'
import { Markdown } from '../../../parts/Markdown.tsx'
import { findBlocks } from '../editor/blocks.ts'
import style from './RenderedProcedure.module.css'

/** The blocks that are carried out; any other fence is a part of the text. */
const kinds = new Set('agent approve ask bash browser case file html http js memory output python tool wait'.split(' '))

interface Piece {
  line: number
  kind: string | undefined
  head: string
  text: string
}

export function RenderedProcedure({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text])
  return (
    <div className={style.page}>
      {pieces.map(({ line, kind, head, text: body }) =>
        kind === undefined ? (
          <Markdown key={line} text={body} />
        ) : (
          <figure key={line} className={style.step}>
            <figcaption>
              <b>{kind}</b>
              <span>{head}</span>
              <small>line {line}</small>
            </figcaption>
            {body !== '' && <pre tabIndex={-1}>{body}</pre>}
          </figure>
        ),
      )}
      {text.trim() === '' && <p className="dim">Nothing is written yet.</p>}
    </div>
  )
}

function piecesOf(text: string): Piece[] {
  const lines = text.split('\n')
  const pieces: Piece[] = []
  let from = 0
  const write = (until: number) => {
    const words = lines.slice(from, until).join('\n')
    if (words.trim() !== '') pieces.push({ line: from + 1, kind: undefined, head: '', text: words })
  }
  for (const { kind, openLine, closeLine, isClosed } of findBlocks(lines)) {
    if (!kinds.has(kind)) continue
    write(openLine - 1)
    const head = (lines[openLine - 1] ?? '').replace(/^\s*[`~]+\s*[a-z]+\s*/, '')
    const body = lines.slice(openLine, isClosed ? closeLine - 1 : closeLine).join('\n')
    pieces.push({ line: openLine, kind, head, text: body })
    from = closeLine
  }
  write(lines.length)
  return pieces
}
