// What a team decided about models: its own keys of providers, which models its agents may use, and its default. Read often, so it is cached.
import { BoundedCache } from '../../base/boundedCache.ts'
import type { Sql } from '../../base/db.ts'
import type { Keyring } from '../../base/secrets.ts'
import type { OwnKey, OwnKeys } from '../../drivers/model/models.ts'

interface TeamChoices {
  keys: OwnKeys
  /** Null: every model. */
  allowed: string[] | null
  /** Null: the server's. */
  defaultModel: string | null
}

/** What the key of a row in `model_keys` is sealed for. */
export const modelKeyPurpose = (id: string): string => `model key ${id}`

/** How long what is known of a team counts: a key that was deleted is used no longer than this. */
const cachedMs = 1000

interface Row {
  allowed: string[] | null
  default_model: string | null
  keys: { id: string; provider: string; secret: string; base_url: string | null }[] | null
}

interface Known {
  choices: Promise<TeamChoices>
  readAt: number
}

/** `inTransaction`: it reads on the caller's own connection, since whoever waits for another one may wait for those who wait for us. */
type ChoicesOf = (teamId: string, inTransaction?: Sql) => Promise<TeamChoices>

export function createTeamChoices(ownSql: Sql, keyring: Keyring): ChoicesOf {
  const cache = new BoundedCache<Known>({ name: 'team models', entriesMax: 10_000 })

  async function read(sql: Sql, teamId: string): Promise<TeamChoices> {
    const [row] = await sql<Row>`
      select s.allowed_models as allowed, s.default_model, (
          select json_agg(json_build_object('id', k.id, 'provider', k.provider, 'secret', encode(k.secret, 'base64'), 'base_url', k.base_url))
          from model_keys k where k.team_id = ${teamId}) as keys
      from (select ${teamId}::uuid as team_id) t left join model_settings s on s.team_id = t.team_id`
    const keys = (row?.keys ?? []).map(({ id, provider, secret, base_url }): [string, OwnKey] => {
      const key = keyring.open(Buffer.from(secret, 'base64'), modelKeyPurpose(id)).toString()
      return [provider, { key, url: base_url }]
    })
    return { keys: new Map(keys), allowed: row?.allowed ?? null, defaultModel: row?.default_model ?? null }
  }

  return (teamId, inTransaction) => {
    const known = cache.get(teamId)
    if (known && performance.now() - known.readAt < cachedMs) return known.choices
    if (inTransaction) return read(inTransaction, teamId)
    const choices = read(ownSql, teamId)
    cache.set(teamId, { choices, readAt: performance.now() })
    choices.catch(() => cache.delete(teamId))
    return choices
  }
}

/** `openai:*` allows every model of a provider, `openai:gpt-5*` all that begin so; the built-in ones are never forbidden. */
export const isAllowedModel = (allowed: readonly string[] | null, model: string): boolean =>
  allowed === null ||
  model.startsWith('builtin:') ||
  allowed.some((rule) => (rule.endsWith('*') ? model.startsWith(rule.slice(0, -1)) : rule === model))
