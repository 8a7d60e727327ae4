// The link that a start shows in a terminal: it signs the first admin in to the page, once.
import { issueAdminLink } from './features/signIn/signInLink.ts'
import { recordCommand } from './kit/audit.ts'
import { fallbackOf } from './kit/registry.ts'
import type { Running } from './serve.ts'

/** Undefined: this process has no console to sign in to, or it is not built. */
export async function firstSignIn({
  context,
  firstKey: { teamId },
  baseUrl,
}: Pick<Running, 'context' | 'firstKey' | 'baseUrl'>): Promise<string | undefined> {
  if (baseUrl === undefined || !(await fallbackOf(context)?.isThere(context))) return undefined
  return context.db.transaction(async (sql) => {
    const link = await issueAdminLink(sql, baseUrl, teamId)
    if (link) await recordCommand(sql, teamId, 'serve', { type: 'sign_in_link', id: link.id })
    return link?.url
  })
}
