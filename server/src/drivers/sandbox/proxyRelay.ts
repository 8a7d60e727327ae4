// Runs inside bubblewrap, before the command: carries what comes to a local port to the service's filtering proxy.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { connect, createServer } from 'node:net'

// There is no network in the sandbox, only its own loopback; a socket of the file system is the one way out, and at its
// other end the service judges every host.
const [, , port, proxySocket = '', program = '', ...args] = process.argv

const relay = createServer((client) => {
  const proxy = connect(proxySocket)
  // when one side ends, both end; the program learns of it by its own connection
  client.on('error', () => proxy.destroy())
  proxy.on('error', () => client.destroy())
  client.pipe(proxy).pipe(client)
})

relay.listen(Number(port), '127.0.0.1', () => {
  const command = spawn(program, args, { stdio: 'inherit' })
  command.once('error', () => process.exit(127))
  command.once('exit', (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
})
