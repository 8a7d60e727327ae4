// A page in which a person can select an element: the same page with one more script of ours, which its policy allows.
import { pagePolicy, selectablePolicy } from './pageHeaders.ts'
import { selectScript } from './selectScript.ts'
import { escapeAttribute } from './writeHtml.ts'

const end = '</body>\n</html>\n'

/** `html` as the document of a page is written (document.ts): its policy comes before anything that a tenant wrote, its end after it. */
export function selectable(html: string): string {
  const allowed = html.replace(escapeAttribute(pagePolicy), () => escapeAttribute(selectablePolicy))
  return `${allowed.slice(0, allowed.lastIndexOf(end))}<script>${selectScript}</script>\n${end}`
}
