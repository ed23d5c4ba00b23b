// Scripts of other users. A process of this program stands between agent and script: it takes on the groups and the account of
// the user, which only root can, and starts the interpreter. No shell and no `su` is involved.
import { spawn } from 'node:child_process'
import { chmod, chown, copyFile, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { ownProgram } from '../../own-program.ts'
import type { RunningScript, ScriptStart } from '../platform.ts'
import { type Interpreter, scriptMarker, spawnScript } from '../script-process.ts'
import type { Account } from './user-account.ts'

declare global {
  namespace NodeJS {
    interface Process {
      /** Takes on all groups of a user; the types of Node lack it. */
      initgroups?(user: string, extraGroup: number): void
    }
  }
}

/** What the process between gets on its standard input: arguments of programs can be read by all users. */
const UserScript = z.object({
  user: z.string(),
  uid: z.int(),
  gid: z.int(),
  program: z.string(),
  args: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  /** The home of the user unless given. */
  workingDirectory: z.string().optional(),
  home: z.string(),
})
type UserScript = z.infer<typeof UserScript>

const folderPrefix = 'muster-script-'
const notStarted = 126

/** Starts a script in an interpreter as another user, in the home of that user. */
export async function startAsUser(
  start: ScriptStart,
  { name, uid, gid, home }: Account,
  interpreter: Interpreter,
): Promise<RunningScript> {
  const folder = await readableFolder(start, uid, gid)
  const removeFiles = () => rm(folder, { recursive: true, force: true })
  try {
    const file = join(folder, 'script')
    const script: UserScript = {
      ...{ user: name, uid, gid, program: interpreter.program },
      args: interpreter.args.map((arg) => (arg === start.file ? file : arg)),
      environment: { ...interpreter.environment, ...start.environment, [scriptMarker]: start.commandId },
      ...(start.workingDirectory === dirname(start.file) ? {} : { workingDirectory: start.workingDirectory }),
      home,
    }
    const own = ownProgram('run-as-user')
    // Variables of the script must not reach a program of root.
    const { PATH = '' } = interpreter.environment
    const between = { ...interpreter, program: own.file, args: own.args, environment: { PATH } }
    const input = JSON.stringify(script)
    return { ...spawnScript({ ...start, workingDirectory: '/', environment: {} }, { ...between, input }), removeFiles }
  } catch (error) {
    await removeFiles()
    throw error
  }
}

/** A folder with the script that only this user can read. It stays with the agent, so that its removal follows no link. */
async function readableFolder({ commandId, file }: ScriptStart, uid: number, gid: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${commandId}-`))
  const copy = join(folder, 'script')
  await copyFile(file, copy)
  await chmod(copy, 0o400)
  await chown(copy, uid, gid)
  await chmod(folder, 0o711)
  return folder
}

/** Removes the folders of scripts that the agent left when it was killed. */
export async function removeUserFolders(commandIds: ReadonlySet<string>): Promise<void> {
  const own = process.getuid?.()
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const id = name.startsWith(folderPrefix) ? name.slice(folderPrefix.length, folderPrefix.length + 36) : ''
    if (!commandIds.has(id)) continue
    const path = join(tmpdir(), name)
    const owner = await lstat(path).catch(() => undefined)
    if (owner?.uid === own) await rm(path, { recursive: true, force: true })
  }
}

/** The program of the process between. It ends as the script does. @returns the exit code of the script */
export async function runUserScript(): Promise<number> {
  const given = UserScript.parse(JSON.parse(await text(process.stdin)))
  const { user, uid, gid, program, args, environment } = given
  process.initgroups?.(user, gid)
  process.setgid?.(gid)
  process.setuid?.(uid)
  enter(given)
  // Sent to the whole group: the script decides when it ends.
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, () => undefined)
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`${program} cannot be started: ${error.message}\n`)
      resolve(notStarted)
    })
    child.on('exit', (exitCode, signal) => {
      if (signal === null) resolve(exitCode ?? notStarted)
      else {
        for (const each of signals) process.removeAllListeners(each)
        process.kill(process.pid, signal)
      }
    })
  })
}

/** Goes to the folder of the script. The home of a user may be missing. */
function enter({ workingDirectory, home }: UserScript): void {
  if (workingDirectory !== undefined) {
    process.chdir(workingDirectory)
    return
  }
  try {
    process.chdir(home)
  } catch {
    process.chdir('/')
  }
}
