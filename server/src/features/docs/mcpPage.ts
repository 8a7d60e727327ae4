// /docs/mcp: how to set up an MCP client for this very server, as a page without scripts.
import { mcpClients } from './mcpClients.ts'

export const mcpPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

export function mcpPage(baseUrl: string): string {
  const url = `${baseUrl}/v2/mcp`
  const clients = mcpClients(baseUrl).map(
    ({ name, where, snippet }) => `<h3>${name}</h3>\n<p>${prose(where)}</p>\n${block(snippet)}`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runyard over MCP</title>
<style>${style}</style>
<main>
<p><a href="/docs/">Reference of the API</a></p>
<h1>Runyard over MCP</h1>
<p>Any client of the Model Context Protocol can start runs, follow them, answer what they ask and look after queues here.
${prose('The tools are the operations of the API under their own names.')}</p>
${block(url)}
<h2>A key</h2>
<p>${prose(keyWords)}</p>
${block(newKey(baseUrl))}
<h2>Set up a client</h2>
<p>${prose('Put the key into the environment variable `RUNYARD_API_KEY` first, unless the client asks for it.')}</p>
${clients.join('\n')}
<h2>Which tools</h2>
<p>${prose('Add these to the URL:')}</p>
<dl>${options.map(([option, says]) => `<dt><code>${option}</code></dt><dd>${prose(says)}</dd>`).join('\n')}</dl>
<h2>Try it</h2>
${block(trial(url))}
</main>
</html>
`
}

const keyWords =
  'Make one for each client, with the scope `mcp:call` and those of the tools it shall have: a client is offered what its key may do. ' +
  'For looking only, `runs:read`, `agents:read`, `queues:read` and `files:read` are enough.'

const newKey = (baseUrl: string): string => `curl -X POST ${baseUrl}/v2/teams/$TEAM/api-keys \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"name": "My editor", "scopes": ["mcp:call", "runs:read", "runs:write", "agents:read"]}'`

const options: [option: string, says: string][] = [
  [
    '?toolsets=runs,queues',
    'The tools of these parts of the API; `all` for every one. Without it about 25 that most work needs.',
  ],
  ['?readonly=1', 'Only tools that change nothing.'],
  ['?schemas=1', 'Lists the tools with the schemas of their answers.'],
]

const trial = (url: string): string => `curl ${url} -H "Authorization: Bearer $RUNYARD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Text with `code` in it. */
const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const block = (text: string): string => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`

/** One click on a snippet selects all of it. */
const style = `
:root { color-scheme: light dark; --soft: light-dark(#f3f4f6, #1e2329); --line: light-dark(#d9dde3, #343b44); }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: light-dark(#fff, #13171c); color: light-dark(#1c2127, #e4e8ed); }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1rem 0; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
p, dd { margin: .4rem 0; }
dt { margin-top: .8rem; }
dd { margin-left: 0; }
a { color: light-dark(#0b62c4, #77b4ff); }
code { font: .875em/1.5 ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; user-select: all; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
`
