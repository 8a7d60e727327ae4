// The languages of editors and diffs.
import { json } from '@codemirror/lang-json'
import { markdown } from '@codemirror/lang-markdown'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

export type CodeLanguage = 'markdown' | 'json' | 'plain'

export function languageOf(language: CodeLanguage): Extension {
  if (language === 'json') return json()
  // lines of a text are wrapped, those of data scroll
  return language === 'markdown' ? [markdown(), EditorView.lineWrapping] : EditorView.lineWrapping
}
