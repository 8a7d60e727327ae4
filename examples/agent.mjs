// node examples/agent.mjs <example> [json]: prints the body that makes the agent of an example; the JSON is added to the data of its config.
import { readFileSync } from 'node:fs'

const [example = '', more = '{}'] = process.argv.slice(2)
const read = (file) => readFileSync(new URL(`${example}/${file}`, import.meta.url), 'utf8')
const { name, description, data } = JSON.parse(read('agent.json'))
const config = { version: 'v2', data: { ...data, ...JSON.parse(more), input: read('procedure.md') } }
console.log(JSON.stringify({ name, description, build: { config } }))
