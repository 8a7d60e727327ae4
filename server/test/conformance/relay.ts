// The command that the conformance suite starts for each scenario: hands it to the client in the test's own process, which is warm.
import { request } from 'node:http'

const {
  CONFORMANCE_PLAYER: player = '',
  MCP_CONFORMANCE_SCENARIO: scenario,
  MCP_CONFORMANCE_CONTEXT: context,
} = process.env

const asked = request(player, { method: 'POST' }, (answer) => {
  answer.pipe(process.stderr)
  process.exitCode = answer.statusCode === 200 ? 0 : 1
})
asked.end(JSON.stringify({ scenario, given: JSON.parse(context ?? '{}'), url: process.argv[2] }))
