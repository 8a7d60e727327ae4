// How editors and diffs look: the tokens of the page, in both themes.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { adoptStyles } from './adoptStyles.ts'

adoptStyles()

const theme = EditorView.theme({
  '&': {
    color: 'var(--code-ink)',
    backgroundColor: 'transparent',
    fontSize: 'var(--text-sm)',
    height: '100%',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 14px 0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 22%, transparent)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--ink) 4%, transparent)',
  },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none', paddingLeft: '6px' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 4px', minWidth: '28px' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: '1px solid var(--line)', color: 'var(--ink-3)' },
  '.cm-matchingBracket': { backgroundColor: 'transparent', color: 'inherit' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-nonmatchingBracket': { color: 'var(--failed-ink)' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-tooltip': {
    border: '1px solid var(--line-mid)',
    borderRadius: 'var(--radius-m)',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow-2)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--selected)', color: 'var(--ink)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal' },
  '.cm-diagnostic': { padding: '5px 9px', fontFamily: 'var(--font-sans)', fontSize: 'var(--text-sm)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--failed)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--waiting)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--accent)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--failed) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--waiting) 1px',
    textUnderlineOffset: '3px',
  },
  // the drawings of the library are addresses of data, which the policy of the page forbids
  '.cm-lint-marker': {
    width: '8px',
    height: '8px',
    margin: '6px 0 0 2px',
    borderRadius: '2px',
    transform: 'rotate(45deg)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-lint-marker-error': {
    content: 'none',
    backgroundColor: 'var(--failed)',
    transform: 'none',
    borderRadius: '50%',
  },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--waiting)' },
  '.cm-lint-marker-info': { content: 'none' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  // diffs
  '.cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--diff-add)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--diff-del)' },
  '.cm-deletedChunk': { paddingLeft: '8px' },
  '&.cm-merge-b .cm-changedText, .cm-changedText': {
    background: 'color-mix(in srgb, var(--pass) 26%, transparent)',
    textDecoration: 'none',
  },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--failed) 24%, transparent)',
    textDecoration: 'none',
  },
  '.cm-changeGutter': { width: '3px', paddingLeft: '0' },
  '.cm-changedLineGutter, &.cm-merge-b .cm-changedLineGutter': { background: 'var(--pass)' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--failed)' },
  '.cm-collapsedLines': {
    padding: '3px 14px',
    background: 'var(--sunken)',
    color: 'var(--ink-3)',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-xs)',
    cursor: 'pointer',
    // its ornaments are in few fonts
    '&:before, &:after': { content: 'none' },
  },
})

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword, tags.url, tags.link, tags.labelName], color: 'var(--code-mark)' },
  { tag: [tags.string, tags.monospace], color: 'var(--code-text)' },
  {
    tag: [tags.comment, tags.quote, tags.meta, tags.processingInstruction, tags.contentSeparator],
    color: 'var(--code-note)',
  },
  { tag: tags.heading, fontWeight: '600', color: 'var(--ink)' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.invalid, color: 'var(--failed-ink)' },
])

export const codeLook: Extension = [theme, syntaxHighlighting(highlight)]
