// The commands of the machine: they use the data dir and the database of a server, with its settings.
import type { Call as MachineCall } from '../../server/src/cli/command.ts'
import { command, exit, Interrupted, type Call, type Command } from './command.ts'
import { drillProgressOf } from './drillProgress.ts'
import { dev } from './listen/dev.ts'

/** Settings and log, as the service itself reads them. */
async function onMachine<Values extends object>({ env, out, ...call }: Call<Values>): Promise<MachineCall<Values>> {
  const { readConfig } = await import('../../server/src/base/config.ts')
  const { createLog } = await import('../../server/src/base/log.ts')
  const config = readConfig(env)
  // only the service writes a log; a command prints what it has done
  const log = createLog(env['LOG_LEVEL'] ? config.logLevel : 'warn')
  return { ...call, config, log, print: out.line }
}

const needs = 'database'

export const serve = command({
  words: 'serve',
  needs,
  says: 'Run the service until it is stopped.',
  options: {
    role: {
      type: 'string',
      value: 'all|api|worker',
      says: 'what this process does; all unless RUNYARD_ROLE says otherwise',
    },
  },
  examples: ['runyard serve', 'runyard serve --role worker'],
  ownSignals: true,
  async run({ values }) {
    const { main } = await import('../../server/src/main.ts')
    await main(values.role === undefined ? [] : ['--role', values.role])
  },
})

const sandboxHost = command({
  words: 'sandbox-host',
  needs: 'nothing',
  says: 'Run commands of agents on this machine for workers of others.',
  about:
    'Workers find it by RUNYARD_SANDBOX_URLS and know it by RUNYARD_SANDBOX_TOKEN. It needs no database and no encryption key. ' +
    'docs/guides/sandbox-hosts.md says more.',
  examples: [
    'RUNYARD_SANDBOX_TOKEN=$(openssl rand -hex 32) runyard sandbox-host',
    'RUNYARD_SANDBOX_LISTEN=0.0.0.0:4790 runyard sandbox-host',
  ],
  async run(call) {
    const { sandboxHost: run } = await import('../../server/src/cli/sandboxHost.ts')
    await run(await onMachine(call))
  },
})

const migrate = command({
  words: 'migrate',
  needs,
  says: 'Bring the database to the schema of this version, as every start does.',
  about:
    'With --check it only says which migrations are missing, how long they may take on tables of this size, and which processes of other versions are alive. It then exits with 0 if there is nothing to do, with 2 if there are migrations to apply, and with 6 if they would be refused.',
  options: { check: { type: 'boolean', says: 'change nothing, and say what would be done' } },
  examples: ['runyard migrate', 'runyard migrate --check --json'],
  async run(call) {
    if (call.values.check) {
      const { planLines, planOf } = await import('../../server/src/cli/migrateCheck.ts')
      const plan = await planOf(await onMachine(call))
      call.out.record(plan, planLines)
      return { up_to_date: exit.done, to_do: exit.differs, refused: exit.refused }[plan.state]
    }
    const { migrateCommand } = await import('../../server/src/cli/migrateCommand.ts')
    await migrateCommand(await onMachine(call))
    return exit.done
  },
})

const teamCreate = command({
  words: 'team create',
  positionals: ['NAME'],
  needs,
  says: 'Make a team with a first member, its admin.',
  examples: ['runyard team create "Accounts payable"', 'runyard team create Support'],
  async run(call) {
    const { teamCreate: run } = await import('../../server/src/cli/teamCreate.ts')
    await run(await onMachine(call))
  },
})

const keyCreate = command({
  words: 'key create',
  needs,
  says: 'Make an API key and print it. It is shown only this once.',
  options: {
    team: { type: 'string', value: 'ID', says: 'the team; may be left out when there is only one' },
    member: { type: 'string', value: 'ID', says: 'whose key it is; the first admin of the team unless given' },
    name: { type: 'string', value: 'NAME', says: 'what to call it; "Command line" unless given' },
    scopes: { type: 'string', value: 'a,b', says: 'what it may do; * (everything) unless given' },
    expires: { type: 'string', value: 'ISO', says: 'when it stops working; never unless given' },
  },
  examples: [
    'runyard key create',
    'runyard key create --name CI --scopes runs:read,runs:write --expires 2030-01-31T12:00:00Z',
  ],
  async run(call) {
    const { keyCreate: run } = await import('../../server/src/cli/keyCreate.ts')
    await run(await onMachine(call))
  },
})

const keyRevoke = command({
  words: 'key revoke',
  positionals: ['ID'],
  needs,
  says: 'Revoke an API key by its id; it stops working everywhere within a second.',
  examples: ['runyard key revoke 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f', 'runyard call listApiKeys'],
  async run(call) {
    const { keyRevoke: run } = await import('../../server/src/cli/keyRevoke.ts')
    await run(await onMachine(call))
  },
})

const keyRotateEvidence = command({
  words: 'key rotate-evidence',
  needs,
  says: 'Sign evidence with a new key from now on; what the keys before it signed stays true.',
  examples: ['runyard key rotate-evidence', 'RUNYARD_DATA_DIR=/srv/runyard runyard key rotate-evidence'],
  async run(call) {
    const { keyRotateEvidence: run } = await import('../../server/src/cli/keyRotateEvidence.ts')
    await run(await onMachine(call))
  },
})

const keyRotateEncryption = command({
  words: 'key rotate-encryption',
  needs,
  says: 'Encrypt the secrets in the database with a new encryption key. Stop the service first.',
  examples: ['runyard key rotate-encryption', 'runyard doctor'],
  async run(call) {
    const { keyRotateEncryption: run } = await import('../../server/src/cli/keyRotateEncryption.ts')
    await run(await onMachine(call))
  },
})

const entitlementsList = command({
  words: 'entitlements list',
  positionals: ['TEAM'],
  needs,
  says: 'Show the limits of a team and how much of them it uses. TEAM is its id.',
  examples: [
    'runyard entitlements list 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f',
    'runyard entitlements list $RUNYARD_TEAM',
  ],
  async run(call) {
    const { entitlementsList: run } = await import('../../server/src/cli/entitlementsList.ts')
    await run(await onMachine(call))
  },
})

const entitlementsSet = command({
  words: 'entitlements set',
  positionals: ['TEAM', 'KEY', 'VALUE'],
  needs,
  says: 'Limit what a team may use. It takes effect within seconds.',
  about: 'docs/guides/entitlements.md lists the keys; a wrong one is answered with the list.',
  examples: [
    'runyard entitlements set $RUNYARD_TEAM max_concurrent_runs 20',
    'runyard entitlements set $RUNYARD_TEAM monthly_runs 10000',
  ],
  async run(call) {
    const { entitlementsSet: run } = await import('../../server/src/cli/entitlementsSet.ts')
    await run(await onMachine(call))
  },
})

const entitlementsUnset = command({
  words: 'entitlements unset',
  positionals: ['TEAM', 'KEY'],
  needs,
  says: 'Remove a limit of a team.',
  examples: [
    'runyard entitlements unset $RUNYARD_TEAM max_concurrent_runs',
    'runyard entitlements unset $RUNYARD_TEAM monthly_runs',
  ],
  async run(call) {
    const { entitlementsUnset: run } = await import('../../server/src/cli/entitlementsUnset.ts')
    await run(await onMachine(call))
  },
})

const backup = command({
  words: 'backup',
  positionals: ['FILE'],
  options: { force: { type: 'boolean', says: 'replace FILE if it exists' } },
  needs,
  says: 'Write a consistent copy of the database to FILE, while the service runs.',
  examples: ['runyard backup monday.runyard', 'runyard backup --force /var/backups/runyard.backup'],
  async run(call) {
    const { backup: run } = await import('../../server/src/cli/backup.ts')
    await run(await onMachine(call))
  },
})

const restore = command({
  words: 'restore',
  positionals: ['FILE'],
  options: { replace: { type: 'boolean', says: 'delete the content of the database first' } },
  needs,
  says: 'Restore a backup into an empty database. Stop the service first.',
  examples: ['runyard restore monday.runyard', 'runyard restore --replace monday.runyard'],
  async run(call) {
    const { restore: run } = await import('../../server/src/cli/restore.ts')
    await run(await onMachine(call))
  },
})

const blobsMove = command({
  words: 'blobs move',
  options: {
    to: { type: 'string', value: 's3|postgres', says: 'where to; where RUNYARD_BLOBS sends new bytes unless given' },
  },
  needs,
  says: 'Move stored bytes into the object store, or back into the database, while the service runs.',
  about:
    'Each content is checked by its hash before it leaves where it was. A move that was cut off is continued by the next one. ' +
    'docs/guides/object-storage.md says more.',
  examples: ['runyard blobs move', 'runyard blobs move --to postgres'],
  async run(call) {
    const { blobsMove: run } = await import('../../server/src/cli/blobsMove.ts')
    return run(await onMachine(call))
  },
})

const doctor = command({
  words: 'doctor',
  needs,
  says: 'Check the set-up and say how to fix what is wrong. Exits with 1 if something is wrong.',
  examples: ['runyard doctor', 'RUNYARD_DATA_DIR=/srv/runyard runyard doctor'],
  async run(call) {
    const { doctor: run } = await import('../../server/src/cli/doctor.ts')
    return run(await onMachine(call))
  },
})

const drill = command({
  words: 'drill',
  needs,
  says: 'Kill workers while runs are under way, and say what was lost, repeated or doubled: it must be nothing.',
  about:
    'It makes a scratch team in the service of this machine, starts workers for it alone, and kills those. Nobody else’s work is touched, and the team is ' +
    'erased at the end. It exits with 0 only if everything is zero that must be. docs/guides/drill.md says more.',
  options: {
    runs: { type: 'string', value: 'N', says: 'how many runs to start; 200 unless given' },
    kills: { type: 'string', value: 'N', says: 'how many workers to kill; 20 unless given' },
    timeout: { type: 'string', value: 'SECONDS', says: 'what has not ended by then counts as lost; 1800 unless given' },
    scratch: {
      type: 'boolean',
      says: 'drill a service of its own in a temporary data dir, which is removed afterwards',
    },
  },
  examples: ['runyard drill', 'runyard drill --runs 1000 --kills 100 --json', 'runyard drill --scratch'],
  async run(call) {
    const { drillCommand, drillLines } = await import('../../server/src/cli/drill.ts')
    const progress = drillProgressOf(call.out)
    const outcome = await drillCommand(await onMachine(call), { env: call.env, tell: progress.tell }).finally(() =>
      progress.end(),
    )
    if ('stopped' in outcome) throw new Interrupted('The drill was stopped before it had a result. Its team is erased.')
    call.out.record(outcome.result, drillLines)
    return outcome.result.holds ? exit.done : exit.failed
  },
})

export const machineCommands: Command[] = [
  serve,
  dev,
  sandboxHost,
  migrate,
  teamCreate,
  keyCreate,
  keyRevoke,
  keyRotateEncryption,
  keyRotateEvidence,
  entitlementsList,
  entitlementsSet,
  entitlementsUnset,
  backup,
  restore,
  blobsMove,
  drill,
  doctor,
]
