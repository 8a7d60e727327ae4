// The catalogue of tool sets.
import { feature } from '../../kit/feature.ts'
import { listPluginCatalog } from './listPluginCatalog.ts'

export const plugins = feature({
  name: 'plugins',
  about: 'The tool sets that an agent’s config may switch on.',
  operations: [listPluginCatalog],
})
