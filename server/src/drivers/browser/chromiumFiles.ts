// Which Chromium is started: the one that a setting names, the one inside the npm package, unpacked once, or one that is installed.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readdir, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Log } from '../../base/log.ts'
import { closedFolder, makePrivateFolder, type Account } from '../../base/accounts.ts'
import { makeWholeFolder } from '../../base/atomicFolder.ts'
import { besideFile } from '../../base/besideFile.ts'
import { mustHave } from '../../base/mustHave.ts'

export interface ChromiumFiles {
  executable: string
  env: Record<string, string>
}

const run = promisify(execFile)

// Its own font and those of the system, by the family names that pages ask for; fontconfig stores its cache in the profile.
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

/** `named`: the file that a setting names. `account`: the user that Chromium will run as, where that is not our own. */
export async function findChromium(wanted: {
  named?: string | undefined
  cacheDir: string
  account: Account | undefined
  log: Log
}): Promise<ChromiumFiles> {
  const missing = missingChromium(wanted.named)
  if (missing !== undefined) throw new Error(missing)
  if (wanted.named === undefined && isInPackage) return unpacked(wanted)
  const executable = mustHave(wanted.named ?? installedPath(), 'an installed Chromium')
  return { executable, env: systemEnv() }
}

/** Why this machine has no Chromium that can be started; undefined when it has one. */
export function missingChromium(named?: string): string | undefined {
  if (named !== undefined)
    return existsSync(named) ? undefined : `RUNYARD_CHROMIUM names ${named}, and there is no such file.`
  return isInPackage || installedPath() !== undefined ? undefined : reasonForNone
}

/** Whether the npm package has a Chromium for this machine. */
export const isInPackage = process.platform === 'linux' && process.arch === 'x64'
const installedPath = (): string | undefined => installedPaths().find((path) => existsSync(path))
const reasonForNone =
  `There is no Chromium for ${process.platform} ${process.arch} in the npm package and none is installed. ` +
  'Install Chromium or Chrome, or set RUNYARD_CDP_URL to the DevTools URL of a browser.'

async function unpacked({ cacheDir, account, log }: Parameters<typeof findChromium>[0]): Promise<ChromiumFiles> {
  const place = await placeFor(cacheDir, account, log)
  const folder = join(place, `chromium-${packageVersion()}`)
  const begun = performance.now()
  const made = await makeWholeFolder(folder, async (staging) => {
    const script = fileURLToPath(besideFile('unpackChromium', import.meta.url))
    await run(process.execPath, [script], { env: { TMPDIR: staging } })
    await writeFile(join(staging, 'fonts.conf'), fontsConf)
    await openToAll(staging)
  })
  if (made) log.info({ folder, ms: Math.round(performance.now() - begun) }, 'unpacked Chromium')
  return {
    executable: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

function packageVersion(): string {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'))
  const text = readFileSync(join(dirname(entry), '../package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** The cache, unless the user that Chromium runs as could not enter it: then a folder that all may enter and only we may write. */
async function placeFor(cacheDir: string, account: Account | undefined, log: Log): Promise<string> {
  await mkdir(cacheDir, { recursive: true })
  const closed = account && (await closedFolder(cacheDir, account))
  if (!account || closed === undefined) return cacheDir
  const elsewhere = '/var/lib/runyard/chromium'
  try {
    // its files are executed, so nobody else may have put them there
    for (const folder of [dirname(elsewhere), elsewhere]) await makePrivateFolder(folder)
    if ((await closedFolder(elsewhere, account)) === undefined) return elsewhere
  } catch (error) {
    log.warn({ err: error, folder: elsewhere }, 'Chromium is unpacked into the temporary folder')
  }
  const temporary = await mkdtemp(join(await realpath(tmpdir()), 'runyard-chromium-'))
  await chmod(temporary, 0o711)
  return temporary
}

/** Readable for the user that Chromium runs as, whatever our umask; and on disk before the folder gets its name. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    await chmod(path, entry.isDirectory() || entry.name === 'chromium' ? 0o755 : 0o644)
    if (entry.isDirectory()) continue
    await using file = await open(path, 'r')
    await file.sync()
  }
}

function installedPaths(): string[] {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    )
  }
  if (process.platform === 'win32') {
    const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((name) => process.env[name] ?? [])
    const programs = ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe']
    return roots.flatMap((root) => programs.map((program) => join(root, program)))
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
}

/** Windows programs do not start without these; elsewhere none is needed. */
function systemEnv(): Record<string, string> {
  const names = process.platform === 'win32' ? ['SystemRoot', 'SystemDrive', 'ProgramFiles', 'LocalAppData'] : ['PATH']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}
