// What a template may hold. The rule: an element or attribute that could act, load or send is refused with its line, and so is an
// element that nobody knows, since leaving it out would silently change the page. What is only noise around a page is left out: the
// doctype, comments, <html>, <head>, <body>, <title>, <meta> with charset or name, and attributes without a meaning here.

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

export const htmlElements = new Set(
  words(`header footer main section article aside nav h1 h2 h3 h4 h5 h6 hgroup address div p hr pre blockquote ol ul menu li dl dt dd
    figure figcaption a em strong small s cite q dfn abbr data time code var samp kbd sub sup i b u mark bdi bdo span br wbr del ins
    ruby rt rp img table caption colgroup col tbody thead tfoot tr td th details summary progress meter`),
)

/** Elements without an end tag. */
export const voidElements = new Set(words('br wbr hr img col'))

/** Neither <use>, <pattern>, <mask> nor <clipPath>: each can repeat another one, which makes a small picture take for ever. */
export const svgElements = new Set(
  words(
    'svg g path rect circle ellipse line polyline polygon text tspan title desc defs linearGradient radialGradient stop',
  ),
)

const htmlEverywhere = words('id class style title lang dir role hidden')

const htmlAttributes: Record<string, string[]> = {
  a: ['href'],
  img: words('src alt width height'),
  td: words('colspan rowspan headers'),
  th: words('colspan rowspan headers scope abbr'),
  col: ['span'],
  colgroup: ['span'],
  ol: words('start reversed type'),
  li: ['value'],
  time: ['datetime'],
  del: ['datetime'],
  ins: ['datetime'],
  data: ['value'],
  progress: words('value max'),
  meter: words('value min max low high optimum'),
  details: ['open'],
}

const svgAttributes = new Set(
  words(`id class style role viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points transform
    gradientTransform gradientUnits spreadMethod offset stop-color stop-opacity fill fill-opacity fill-rule stroke stroke-width
    stroke-opacity stroke-linecap stroke-linejoin stroke-dasharray stroke-dashoffset stroke-miterlimit vector-effect opacity
    text-anchor dominant-baseline alignment-baseline font-size font-weight font-family font-style letter-spacing dx dy rotate
    textLength lengthAdjust pathLength color display visibility paint-order shape-rendering text-rendering`),
)

export const flagAttributes = new Set(['hidden', 'open', 'reversed'])

/** They load, send or run something. */
const actingAttributes = new Set(
  words(`action formaction ping srcset imagesrcset background poster manifest codebase classid archive longdesc profile usemap
    srcdoc nonce integrity dynsrc lowsrc autofocus contenteditable accesskey popovertarget command commandfor target download is slot
    src href xlink:href xml:base from to values by attributename begin`),
)

type AttributeRule = 'kept' | 'acts' | 'noise'

export function ruleOf(element: string, attribute: string, isSvg: boolean): AttributeRule {
  const name = attribute.toLowerCase()
  if (name.startsWith('on')) return 'acts'
  if (isSvg) {
    if (svgAttributes.has(attribute) || /^aria-[a-z]+$/.test(attribute)) return 'kept'
  } else if (
    htmlEverywhere.includes(name) ||
    htmlAttributes[element]?.includes(name) ||
    /^(?:aria|data)-[a-z0-9_-]+$/.test(name)
  ) {
    return 'kept'
  }
  // what links say about their new window is written by us
  if (element === 'a' && (name === 'target' || name === 'rel')) return 'noise'
  return actingAttributes.has(name) ? 'acts' : 'noise'
}

const instead: Record<string, string> = {
  script:
    'A page runs no script of its own. Use <bar-chart>, <line-chart>, <area-chart>, <data-table> or <big-number> to show figures, and <script type="application/json"> for data.',
  link: 'A page loads nothing. Write styles into <style>.',
  iframe: 'A page shows no other page.',
  form: 'A page sends nothing.',
  use: 'Write the shape out where it is shown.',
}

const formParts = new Set(
  words('input button select option optgroup textarea label fieldset legend output datalist keygen'),
)
const moving = new Set(words('animate animateMotion animateTransform set mpath discard'))

/** Why an element is refused. */
export function refusalOf(name: string): string {
  const shown = `<${name.slice(0, 40)}>`
  if (instead[name] !== undefined) return `${shown} cannot be part of a page. ${instead[name]}`
  if (formParts.has(name)) return `${shown} cannot be part of a page. ${instead['form']}`
  if (moving.has(name)) return `${shown} cannot be part of a page. Pictures do not move here.`
  return `${shown} cannot be part of a page.`
}
