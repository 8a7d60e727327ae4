// The tool browser_login, for runs whose build names logins: the model asks for it and never sees what is filled in.
import type { Action } from '../../drivers/browser/browser.ts'
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import type { ToolSet } from '../../kit/feature.ts'
import type { GivenTo } from '../../kit/given.ts'
import { loginUseOf } from '../../kit/registry.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool, type Outside, type ToolCall } from '../../kit/tool.ts'
import { actInBrowser } from './actInBrowser.ts'
import { leavingOf } from './browserLine.ts'

/** Up to four rounds of fields, each of which may load a page. */
const timeoutMs = 180_000

/** Looks for the login only once the page is there: the page says which one it may be. */
export const loginAction = (
  { run }: Pick<ToolCall<unknown>, 'run'>,
  { context }: Outside,
  login: string | undefined,
): Action => ({
  kind: 'login',
  async credentialsFor(pageUrl) {
    const use = loginUseOf(context)
    if (!use) throw new Error('This server keeps no logins.')
    const { given } = await readRunConfig(context.db.sql, run)
    return use.find({ context, run, given, pageUrl, login })
  },
})

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
    leaves: () => leavingOf([{ kind: 'login' }]),
    timeoutMs,
    beside: 'alone',
    execute: (call, outside) => actInBrowser(call, outside, [loginAction(call, outside, call.input.login)]),
  })
  const description = 'Logs in to pages without showing the login.'
  return [{ name: 'given:logins', title: 'Logins', description, provider: null, tools: [browserLogin] }]
}
