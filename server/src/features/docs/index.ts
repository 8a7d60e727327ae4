// How the service describes itself: the OpenAPI document, the reference page, how to set up MCP and the texts for models.
import { clientSamples } from '../../kit/clientSamples.ts'
import { feature } from '../../kit/feature.ts'
import { openapiDocument } from '../../kit/openapi.ts'
import { serveDocument } from '../../kit/servedDocument.ts'
import { llmsFullText, llmsText } from './llmsText.ts'
import { mcpPage, mcpPagePolicy } from './mcpPage.ts'
import { loadPage } from './page.ts'
import { registryOf } from '../../kit/registry.ts'

const html = 'text/html; charset=utf-8'

export const docs = feature({
  name: 'docs',
  routes(app, context) {
    const registry = registryOf(context)
    const madeOf = () => context.baseUrl()
    let page: ReturnType<typeof loadPage> | undefined
    const loaded = () => (page ??= loadPage())

    serveDocument(app, ['/openapi.json', '/v2/openapi.json'], {
      contentType: 'application/json; charset=utf-8',
      madeOf,
      make: () => ({ text: JSON.stringify(openapiDocument(registry, context.baseUrl(), clientSamples)) }),
    })
    serveDocument(app, ['/llms.txt'], {
      contentType: 'text/plain; charset=utf-8',
      madeOf,
      make: () => ({ text: llmsText(registry, context.baseUrl()) }),
    })
    serveDocument(app, ['/llms-full.txt'], {
      contentType: 'text/plain; charset=utf-8',
      madeOf,
      make: () => ({ text: llmsFullText(registry, context.baseUrl()) }),
    })
    app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301))
    serveDocument(app, ['/docs/'], {
      contentType: html,
      async make() {
        const { html: text, contentSecurityPolicy } = await loaded()
        return { text, headers: { 'content-security-policy': contentSecurityPolicy } }
      },
    })
    serveDocument(app, ['/docs/mcp'], {
      contentType: html,
      madeOf,
      make: () => ({ text: mcpPage(context.baseUrl()), headers: { 'content-security-policy': mcpPagePolicy } }),
    })
    serveDocument(app, ['/docs/js/scalar.js'], {
      contentType: 'text/javascript; charset=utf-8',
      maxAgeS: 3600,
      make: async () => ({ text: (await loaded()).script }),
    })
  },
})
