// A model key: a team's own key of a provider of models, sealed at rest and never answered.
import { part, type Sql } from '../../base/db.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import type { Keyring } from '../../base/secrets.ts'
import { providerNames } from '../../drivers/model/models.ts'
import { modelKeyPurpose } from '../../engine/builds/teamChoices.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, url, type Static } from '../../kit/schema.ts'

export const fields = {
  provider: oneOf(providerNames, { description: 'Whose models it pays for.' }),
  key: Type.String({
    minLength: 8,
    maxLength: 1000,
    pattern: '^[!-~]+$',
    description: 'The key as the provider gave it. It is sealed at rest and never answered.',
    examples: ['sk-example-0123456789'],
  }),
  base_url: nullable(
    url(
      'For `openai-compatible` alone: the URL of your own server. Absent or null: the URL that this server is set to.',
      ['https://openrouter.ai/api/v1'],
    ),
  ),
}

export const ModelKey = named(
  'ModelKey',
  Type.Object({
    id: Id,
    team_id: Id,
    provider: fields.provider,
    hint: Type.String({ description: 'The end of the key, to tell keys apart.', examples: ['…6789'] }),
    base_url: fields.base_url,
    created_by: nullable(Id),
    tested_at: Time,
    problem: nullable(
      Type.String({ description: 'Why the provider did not take the key when it was last tested; null: it did.' }),
    ),
    created_at: Time,
    updated_at: Time,
  }),
)

export type ModelKey = Static<typeof ModelKey>

export const modelKeyColumns = part`
  id, team_id, provider, hint, base_url, created_by, tested_at, problem, created_at, updated_at`

const findModelKey = (sql: Sql, id: string, teamId: string): Promise<ModelKey[]> => sql<ModelKey>`
  select ${modelKeyColumns} from model_keys where id = ${id} and team_id = ${teamId}`

export const modelKey = resource('model_key', findModelKey)

declare module '../../kit/resources.ts' {
  interface Resources {
    model_key: ModelKey
  }
}

export const sealedModelKey: SealedColumn = {
  table: 'model_keys',
  column: 'secret',
  key: ['id'],
  purpose: ({ id }) => modelKeyPurpose(id!),
}

export const sealModelKey = (keyring: Keyring, id: string, key: string): Buffer =>
  keyring.seal(key, modelKeyPurpose(id))

const shownLength = 4

/** Short keys would be given away by half. */
export const hintOf = (key: string): string => (key.length < 4 * shownLength ? '…' : `…${key.slice(-shownLength)}`)
