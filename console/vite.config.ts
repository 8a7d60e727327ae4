// How the page is built: everything from our own origin, nothing inline, so that the Content-Security-Policy can forbid the rest.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// npm run dev -- console: the page follows its sources and asks the service on this machine, or the one of RUNYARD_URL. The service takes
// the cookie only where Host and Origin agree, so both are passed on as the browser sent them.
const service = process.env['RUNYARD_URL'] ?? 'http://127.0.0.1:4700'
const served = [
  '/v2',
  '/auth',
  '/oauth',
  '/docs',
  '/files',
  '/images',
  '/openapi.json',
  '/artifacts/pictures',
  '/licenses.txt',
]

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@runyard/sdk': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)) } },
  build: {
    target: 'es2023',
    // a data: URL would need a looser policy
    assetsInlineLimit: 0,
    // all of it is 32 KB, less than its pieces cost as requests
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    // the SDK loads these in Node alone
    rolldownOptions: {
      external: /^node:/,
      output: {
        // What every screen needs is one file; left alone, it would be fourteen. Parts that some screens share stay files of their own:
        // joined, they made the first load a fifth larger.
        codeSplitting: { groups: [{ name: 'common', tags: ['$initial'] }] },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(served.map((path) => [path, { target: service, changeOrigin: false }])),
  },
})
