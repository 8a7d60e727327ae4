// Draws Markdown as React elements, so nothing in it can become HTML. It is loaded when a text is first shown.
import { useMemo, type ReactNode } from 'react'
import style from './Markdown.module.css'
import { readMarkdown, type Element, type Node } from './markdownTree.ts'

export default function MarkdownBody({ text }: { text: string }) {
  const nodes = useMemo(() => readMarkdown(text), [text])
  return <>{drawn(nodes)}</>
}

const drawn = (nodes: Node[]): ReactNode[] =>
  nodes.map((node, at) => (typeof node === 'string' ? node : <Drawn key={at} element={node} />))

function Drawn({ element }: { element: Element }) {
  const { tag: Tag, children, href, start, align } = element
  if (Tag === 'hr' || Tag === 'br') return <Tag />
  if (Tag === 'a')
    return (
      <a className="link" href={href} target="_blank" rel="noopener noreferrer" title={href}>
        {drawn(children)}
      </a>
    )
  if (Tag === 'pre')
    return (
      // its lines may be longer than the screen is wide, and a keyboard must reach their ends
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      <pre tabIndex={0}>
        <code>{drawn(children)}</code>
      </pre>
    )
  if (Tag === 'table')
    return (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      <div className={style.wide} role="region" aria-label="Table" tabIndex={0}>
        <table>{drawn(children)}</table>
      </div>
    )
  if (Tag === 'ol') return <ol start={start}>{drawn(children)}</ol>
  if (Tag === 'td' || Tag === 'th') return <Tag style={align && { textAlign: align }}>{drawn(children)}</Tag>
  return <Tag>{drawn(children)}</Tag>
}
