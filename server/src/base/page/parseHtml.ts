// HTML of a tenant as a tree, in bounded time: parse5 never refuses a text, and some small texts make very large trees.
import { defaultTreeAdapter, html, parse, type DefaultTreeAdapterTypes } from 'parse5'

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode
export type HtmlElement = DefaultTreeAdapterTypes.Element

/** How many elements and comments a template may have, those that the parser adds included. Texts cannot be many more. */
const nodesMax = 20_000
/** How deep the elements of a template may be nested. */
export const depthMax = 100

/** The text makes too large a tree; the message says in which way. */
export class TreeRefused extends Error {}

export const isSvg = ({ namespaceURI }: HtmlElement): boolean => namespaceURI === html.NS.SVG
export const isHtml = ({ namespaceURI }: HtmlElement): boolean => namespaceURI === html.NS.HTML

/** The children of head and of body, with the lines where they stand. */
export function parseHtml(text: string): HtmlNode[] {
  const document = parse(text, {
    sourceCodeLocationInfo: true,
    scriptingEnabled: false,
    treeAdapter: boundedAdapter(),
  })
  const root = document.childNodes.find((node) => node.nodeName === 'html')
  return childrenOf(root).flatMap((part) =>
    part.nodeName === 'head' || part.nodeName === 'body' ? childrenOf(part) : [part],
  )
}

export const childrenOf = (node: HtmlNode | undefined): HtmlNode[] =>
  node !== undefined && 'childNodes' in node ? node.childNodes : []

function boundedAdapter(): typeof defaultTreeAdapter {
  let nodes = 0
  let depth = 0
  const count = (): void => {
    nodes += 1
    if (nodes > nodesMax) throw new TreeRefused(`The page has more than ${nodesMax.toLocaleString('en')} elements.`)
  }
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      count()
      return defaultTreeAdapter.createElement(name, namespace, attributes)
    },
    createCommentNode(data) {
      count()
      return defaultTreeAdapter.createCommentNode(data)
    },
    // a second <body a> gives its attributes to the first, which takes long for very many of them; we read none of either
    adoptAttributes() {},
    onItemPush() {
      depth += 1
      if (depth > depthMax) throw new TreeRefused(`The page is nested deeper than ${depthMax} levels.`)
    },
    onItemPop() {
      depth -= 1
    },
  }
}
