// The tool browser_login, for runs whose build names logins: the model asks for it and never sees what is filled in.
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import type { ToolSet } from '../../kit/feature.ts'
import type { GivenTo } from '../../kit/given.ts'
import { loginUseOf } from '../../kit/registry.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool } from '../../kit/tool.ts'
import { actInBrowser } from './actInBrowser.ts'

/** Up to four rounds of fields, each of which may load a page. */
const timeoutMs = 180_000

export async function loginTools(asked: GivenTo): Promise<ToolSet[]> {
  if (asked.given.logins.length === 0) return []
  const logins = (await loginUseOf(asked.context)?.list(asked)) ?? []
  const list = logins.map(({ id, domain }) => `${domain} (${id})`).join(', ') || 'none'
  const browserLogin = outsideTool({
    name: 'browser_login',
    description:
      'Log in to the active page: its user name, password and one-time code are filled in and sent, if the page is of the domain of a ' +
      `login of this agent. Open the page that asks for the login first. The logins are for: ${list}.`,
    input: Type.Object({
      login: Type.Optional(
        Type.String({ format: 'uuid', description: 'The id of the login, where several are for one page.' }),
      ),
    }),
    // logging in twice leaves the same session, and after a crash the fields are empty again
    onDoubt: 'retry',
    timeoutMs,
    beside: 'alone',
    async execute(call, outside) {
      const { context } = outside
      const { given } = await readRunConfig(context.db.sql, call.run)
      const { login } = call.input
      const credentialsFor = async (pageUrl: string) => {
        const use = loginUseOf(context)
        if (!use) throw new Error('This server keeps no logins.')
        return use.find({ context, run: call.run, given, pageUrl, login })
      }
      return actInBrowser(call, outside, [{ kind: 'login', credentialsFor }])
    },
  })
  const description = 'Logs in to pages without showing the login.'
  return [{ name: 'given:logins', title: 'Logins', description, provider: null, tools: [browserLogin] }]
}
