#!/usr/bin/env node
// runyard: runs the command line under Node 24, in our place: same terminal, same signals, same exit code. Any Node ≥ 18.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = dirname(dirname(fileURLToPath(import.meta.url)))
const checkout = dirname(cli)

/** The Node that npm brought, looked for like a package: in the nearest node_modules upwards. */
function nodeBinary() {
  const windows = process.platform === 'win32'
  const name = join('node_modules', `node-${windows ? 'win' : process.platform}-${process.arch}`)
  const program = join(name, 'bin', windows ? 'node.exe' : 'node')
  for (let folder = cli; loaderExists(); folder = dirname(folder)) {
    if (existsSync(join(folder, program))) return join(folder, program)
    if (folder === dirname(folder)) break
  }
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined
}

/** The Linux binary is made for glibc; without its loader (Alpine, NixOS) it cannot even start. */
function loaderExists() {
  if (process.platform !== 'linux') return true
  return existsSync(process.arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2')
}

const node = nodeBinary()
if (node) {
  run(node)
} else {
  console.error(
    `Runyard needs Node 24; this is ${process.version}. Run npm install in ${checkout}, or install Node 24 or newer from https://nodejs.org.`,
  )
  process.exitCode = 1
}

function run(program) {
  const child = spawn(program, [join(cli, 'src', 'main.ts'), ...process.argv.slice(2)], {
    // the channel lets the service notice that we were killed, and stop
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      // what was compiled once is kept: a command starts in half the time (measured: 0.5 s instead of 1 s)
      NODE_COMPILE_CACHE: join(checkout, 'node_modules', '.cache', 'runyard'),
      ...process.env,
      // npm start runs in the checkout: the same data dir is meant wherever this is called from
      RUNYARD_DATA_DIR: resolve(checkout, process.env.RUNYARD_DATA_DIR || '.runyard'),
    },
  })
  // Ctrl-C in a terminal reaches the whole process group, the child too
  const passOn = (signal) => {
    if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)
  child.on('error', (error) => {
    console.error(`${program} cannot be started: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, passOn)
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
