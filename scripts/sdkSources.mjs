// Loaded before tests of the console: the name of the SDK leads to its sources, as in console/vite.config.ts.
import { registerHooks } from 'node:module'

const sources = new URL('../sdk/src/index.ts', import.meta.url).href

registerHooks({
  resolve: (name, context, next) =>
    name === '@runyard/sdk' ? { url: sources, format: 'module-typescript', shortCircuit: true } : next(name, context),
})
