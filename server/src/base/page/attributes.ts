// Attributes of a template whose values lead somewhere or draw something: what each may hold.
import { flagAttributes } from './allowed.ts'
import type { AttributePlace, Filling } from './pageTemplate.ts'

export function placeOf(element: string, attribute: string): AttributePlace {
  if (element === 'a' && attribute === 'href') return 'link'
  if (element === 'img' && attribute === 'src') return 'image'
  return flagAttributes.has(attribute) ? 'flag' : 'text'
}

/** Why an attribute cannot stay as it is written, whatever its values are. */
export function valueProblem(
  name: string,
  place: AttributePlace,
  filling: Filling,
  isSvg: boolean,
): string | undefined {
  const { literals, holes } = filling
  const written = literals.join('')
  if (name === 'style') {
    if (holes.length > 0)
      return 'A value cannot stand in style=. Use class=, or <progress value="{{ … }}"> or <meter> for a bar.'
    if (loads(written)) return 'A style cannot load anything: url() takes data: only.'
  }
  if (isSvg && /url\s*\(/i.test(written) && !/^\s*url\(#[\w-]+\)\s*$/.test(written))
    return `${name}= cannot load anything: write url(#id) for a gradient of the same picture.`
  if (place === 'link') return linkProblem(filling)
  if (place === 'image') {
    if (holes.length === 0)
      return isImage(written) ? undefined : 'A page loads nothing: src= of an image must be a data: URL.'
    if (holes.length > 1 || written !== '') return 'src= of an image is one value or a data: URL, not a mix of both.'
  }
  return undefined
}

export const loads = (css: string): boolean => /@import|url\(\s*["']?\s*(?!data:|#|["'\s])/i.test(css)

export const isImage = (text: string): boolean =>
  /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)(?:;charset=[\w-]+)?(?:;base64)?,/i.test(text)

const schemes = new Set(['http:', 'https:', 'mailto:'])

/** The URL as a link may have it; undefined if it leads elsewhere than to a page, a mail or a part of this page. */
export function linkOf(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.startsWith('#')) return trimmed
  if (!URL.canParse(trimmed)) return undefined
  const url = new URL(trimmed)
  return schemes.has(url.protocol) ? url.href : undefined
}

/** A link that begins with a value is only known once the value is there. */
function linkProblem({ literals, holes }: Filling): string | undefined {
  const start = literals[0]!
  if (holes.length > 0 && start === '') return undefined
  // a value behind the host cannot change where the link leads, and one in the host must give a host
  const sample = literals.join('x')
  return linkOf(sample) === undefined
    ? 'A link must be a whole URL with http:, https: or mailto:, or begin with #.'
    : undefined
}
