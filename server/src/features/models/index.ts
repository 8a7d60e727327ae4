// Models of a team: its own keys of providers, which models its agents may use, and its default.
import { feature } from '../../kit/feature.ts'
import { createModelKey } from './createModelKey.ts'
import { deleteModelKey } from './deleteModelKey.ts'
import { getModelSettings } from './getModelSettings.ts'
import { listModelKeys } from './listModelKeys.ts'
import { modelKey, sealedModelKey } from './modelKey.ts'
import { testModelKey } from './testModelKey.ts'
import { updateModelKey } from './updateModelKey.ts'
import { updateModelSettings } from './updateModelSettings.ts'

export const models = feature({
  name: 'models',
  about: 'A team’s own keys of providers, the models that its agents may use, and its default.',
  operations: [
    listModelKeys,
    createModelKey,
    updateModelKey,
    deleteModelKey,
    testModelKey,
    getModelSettings,
    updateModelSettings,
  ],
  resources: [modelKey],
  sealed: [sealedModelKey],
})
