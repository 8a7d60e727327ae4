// What a person sees when their browser comes back and there is nowhere else to send it: one plain page.
import { createHash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText }
main { max-width: 34rem; padding: 2rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
    `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

/** The headers of every answer at that URL: its code and state go into no cache, no log of another site and no frame. */
export const callbackHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

export interface Page {
  title: string
  sentences: string[]
}

export function callbackPage({ title, sentences }: Page): { headers: Record<string, string>; html: string } {
  const html = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} – Runyard</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escaped(title)}</h1>`,
    ...sentences.map((sentence) => `<p>${escaped(sentence)}</p>`),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
  return { headers, html }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!)
