// The document around a page: title, date, style, policy, notes.
import { draw, type Drawn } from './drawn.ts'
import { momentOf } from './figures.ts'
import { pagePolicy } from './pageHeaders.ts'
import { pageStyle } from './pageStyle.ts'
import { sortScript } from './sortScript.ts'
import { escapeAttribute, escapeText, writeHtml } from './writeHtml.ts'

interface DocumentParts {
  title: string
  at: Date
  theme?: 'light' | 'dark'
  content: Drawn[]
  notes: string[]
  hasHeading: boolean
}

export function documentOf({ title, at, theme, content, notes, hasHeading }: DocumentParts): string {
  const shownTitle = title.trim() === '' ? 'Untitled page' : title
  const asOf = draw('p', { class: 'ry-as-of' }, [
    'As of ',
    draw('time', { datetime: at.toISOString() }, [`${momentOf(at)} UTC`]),
  ])
  const heading = hasHeading ? [] : [draw('h1', {}, [shownTitle])]
  const body = [
    draw('header', { class: 'ry-head' }, [...heading, asOf]),
    draw('main', {}, content),
    ...(notes.length === 0
      ? []
      : [
          draw(
            'footer',
            { class: 'ry-note' },
            notes.map((note) => draw('p', {}, [note])),
          ),
        ]),
  ]
  return [
    `<!doctype html>\n<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>\n<head>\n<meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${escapeAttribute(pagePolicy)}">`,
    '<meta http-equiv="x-dns-prefetch-control" content="off">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(shownTitle)}</title>`,
    `<style>${pageStyle}</style>\n</head>\n<body>`,
    writeHtml(body),
    `<script>${sortScript}</script>\n</body>\n</html>\n`,
  ].join('\n')
}
