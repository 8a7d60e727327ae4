import { readFileSync } from 'node:fs'
import { startRunLoop } from './runLoop.ts'
const k = JSON.parse(readFileSync('/tmp/keep.json', 'utf8'))
const { host, port, teamId, apiKey, databaseUrl } = k
await using loop = await startRunLoop(new AbortController().signal)
const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId: k.agent, connections: 64 }
const r = await loop.run({ ...order, ms: Number(process.argv[2] ?? 4000) })
console.log(r.runs)
