// CodeMirror writes its styles into a <style> element, which the policy of the page forbids. A sheet that a script makes is allowed, so its
// styles are mounted into one.
import { HighlightStyle } from '@codemirror/language'
import { tags } from '@lezer/highlight'

/** What CodeMirror mounts: rules under names that are unlike all others. */
interface Styles {
  getRules: () => string
}

interface StyleClass {
  mount: (root: unknown, modules: Styles | readonly Styles[]) => void
}

const sheets = new Map<Styles, CSSStyleSheet>()

/** The later ones count more. An editor with further styles keeps the order of those that are there. */
function mount(modules: readonly Styles[]): void {
  const others = document.adoptedStyleSheets.filter((sheet) => ![...sheets.values()].includes(sheet))
  const order = [...sheets.keys()]
  let at = 0
  for (const styles of modules) {
    const place = order.indexOf(styles)
    if (place >= at) at = place + 1
    else if (place < 0) {
      order.splice(at, 0, styles)
      at += 1
    }
  }
  const ordered = order.map((styles) => [styles, sheets.get(styles) ?? sheetOf(styles)] as const)
  sheets.clear()
  for (const [styles, sheet] of ordered) sheets.set(styles, sheet)
  document.adoptedStyleSheets = [...sheets.values(), ...others]
}

function sheetOf(styles: Styles): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles.getRules())
  return sheet
}

/** Called once, before the first editor is made. */
export function adoptStyles(): void {
  // the class is not exported by any package that we name, but every instance leads to it
  const { module } = HighlightStyle.define([{ tag: tags.heading, fontWeight: 'bold' }])
  const mounting = module?.constructor as StyleClass | undefined
  if (!mounting) throw new Error('CodeMirror has no styles to adopt')
  mounting.mount = (_root, modules) => mount([modules].flat())
}
