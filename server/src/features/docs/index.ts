// What the service says of itself: the OpenAPI document, the reference page, how to set up MCP, /llms.txt, and where / leads.
import { feature } from '../../kit/feature.ts'
import { openapiDocument } from '../../kit/openapi.ts'
import { llmsText } from './llmsText.ts'
import { mcpPage, mcpPagePolicy } from './mcpPage.ts'
import { loadPage } from './page.ts'

export const docs = feature({
  name: 'docs',
  routes(app, context) {
    let page: ReturnType<typeof loadPage> | undefined
    const loaded = () => (page ??= loadPage())

    for (const url of ['/openapi.json', '/v2/openapi.json']) {
      app.get(url, async () => openapiDocument(context.registry, context.baseUrl()))
    }
    app.get('/llms.txt', async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(llmsText(context.registry, context.baseUrl())),
    )
    app.get('/', async (_request, reply) => reply.redirect('/docs/', 302))
    app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301))
    app.get('/docs/', async (_request, reply) => {
      const { html, contentSecurityPolicy } = await loaded()
      return reply.header('content-security-policy', contentSecurityPolicy).type('text/html; charset=utf-8').send(html)
    })
    app.get('/docs/mcp', async (_request, reply) =>
      reply
        .header('content-security-policy', mcpPagePolicy)
        .type('text/html; charset=utf-8')
        .send(mcpPage(context.baseUrl())),
    )
    app.get('/docs/js/scalar.js', async (_request, reply) => {
      const { script } = await loaded()
      return reply.header('cache-control', 'public, max-age=3600').type('text/javascript; charset=utf-8').send(script)
    })
  },
})
