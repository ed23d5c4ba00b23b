import { access, readFile, rename, writeFile } from 'node:fs/promises'
import { win32 } from 'node:path'
import { ownProgram } from '../../../own-program.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import type { RunningScript, ScriptLanguage, ScriptStart } from '../../platform.ts'
import { type Grip, type Interpreter as ProgramRun, spawnScript } from '../../script-process.ts'
import { environmentOf } from '../environment.ts'
import { closed, grant, readAndRun } from '../native/folder-access.ts'
import { system32 } from '../native/koffi.ts'
import { native } from '../thread/native-thread.ts'
import { commandLineOf } from './command-line.ts'
import { ConsoleDecoder } from './console-decoder.ts'
import { ScriptJob } from './script-job.ts'
import type { UserScript } from './user-script.ts'

interface Interpreter {
  /** Paths to look at, then names to look for in the path. */
  programs: readonly string[]
  args: readonly string[]
  extension: string
  /** What the script begins with, so that its texts are UTF-8 in every code page. */
  prefix: string
}

const powershellPrefix =
  '[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);$OutputEncoding=[Console]::OutputEncoding;'
const interpreters: Partial<Record<ScriptLanguage, Interpreter>> = {
  cmd: {
    programs: [`${system32}\\cmd.exe`],
    args: ['/d', '/s', '/c'],
    extension: '.cmd',
    // By its path, because the script may have another search path.
    prefix: `@"${system32}\\chcp.com" 65001>nul 2>nul\r\n`,
  },
  powershell: {
    // Version 7 where it is installed.
    programs: ['pwsh.exe', `${system32}\\WindowsPowerShell\\v1.0\\powershell.exe`],
    args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File'],
    extension: '.ps1',
    prefix: powershellPrefix,
  },
  python: { programs: ['python.exe', 'python3.exe', 'py.exe'], args: ['-X', 'utf8'], extension: '.py', prefix: '' },
}

const killedExitCode = 1
const utf8 = { PYTHONUTF8: '1' }
/** Windows PowerShell reads a file without this mark in the code page of the machine. */
const byteOrderMark = '\uFEFF'

/** Starts a script in a job: when it is ended, or the agent ends in any way, all its processes end. */
export async function startScript(start: ScriptStart): Promise<RunningScript | undefined> {
  const interpreter = interpreters[start.language]
  if (interpreter === undefined)
    throw new ToolFailure('UNSUPPORTED_PLATFORM', `Windows has no ${start.language}; use powershell, cmd or python`)
  const program = await findProgram(interpreter.programs)
  if (program === undefined) return undefined
  const file = await preparedFile(start.file, interpreter)
  const isVerbatim = start.language === 'cmd'
  const words = [file, ...start.args]
  const args = [...interpreter.args, ...(isVerbatim ? [verbatim(words)] : words)]
  const run: ProgramRun = {
    program,
    args,
    environment: { ...environmentOf(), ...utf8 },
    // With a group it would have no console, which PowerShell and cmd need.
    leadsGroup: false,
    isVerbatim,
    exitCodeOf: () => killedExitCode,
    grip: ({ pid }) => gripOf(pid, false),
  }
  const prepared = start.runAs === 'user' ? await asUser(start, run) : run
  try {
    return { ...spawnScript(start, prepared), decoder: () => new ConsoleDecoder() }
  } catch (error) {
    if (!isForeign(error)) throw error
    const why = `${program} cannot run on this Windows: a 32-bit program needs WoW64, which some servers lack`
    throw new ToolFailure('INTERPRETER_NOT_FOUND', why)
  }
}

/** Whether a program is for another processor or damaged. */
const isForeign = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EFTYPE'

/** Runs the script through a process of this program that can give it to the signed-in user. */
async function asUser(start: ScriptStart, run: ProgramRun): Promise<ProgramRun> {
  const { session, sid } = await native('signedInUser', [start.runAsUser])
  await native('setAccess', [win32.dirname(start.file), [...closed(), grant(readAndRun, sid)]])
  const script: UserScript = {
    session,
    program: run.program,
    commandLine: commandLineOf(run.program, run.args, run.isVerbatim === true),
    workingDirectory: start.workingDirectory,
    variables: [...Object.keys(start.environment), ...Object.keys(utf8)],
  }
  const { file, args } = ownProgram('run-as-user', JSON.stringify(script))
  return { ...run, program: file, args, isVerbatim: false, grip: ({ pid }) => gripOf(pid, true) }
}

const gripOf = (pid: number | undefined, mayLeave: boolean): Grip =>
  pid === undefined ? { terminate() {}, kill() {} } : new ScriptJob(pid, mayLeave)

/** The interpreter of a language: null if Windows never has one, undefined if it is not installed. */
export function findInterpreter(language: ScriptLanguage): Promise<string | undefined> | null {
  const interpreter = interpreters[language]
  return interpreter === undefined ? null : findProgram(interpreter.programs)
}

/** cmd takes the first and the last quote away, and keeps those between. It has no way to write a quote or a percent sign in an argument. */
function verbatim(words: readonly string[]): string {
  const wrong = words.find((word) => /["%\r\n]/.test(word))
  if (wrong !== undefined)
    throw new ToolFailure(
      'INVALID_PAYLOAD',
      'args of a cmd script must not contain quotes, percent signs or line ends; use env instead',
    )
  return `"${words.map((word) => `"${word}"`).join(' ')}"`
}

/** Gives the script's file the ending that its interpreter needs, and the beginning for UTF-8. */
async function preparedFile(file: string, { extension, prefix }: Interpreter): Promise<string> {
  const named = `${file}${extension}`
  if (prefix === '') await rename(file, named)
  else {
    const text = await readFile(file, 'utf8')
    const body = extension === '.cmd' ? text.replaceAll(/\r?\n/g, '\r\n') : text
    await writeFile(named, `${extension === '.ps1' ? byteOrderMark : ''}${prefix}${body}`, { mode: 0o600 })
  }
  return named
}

/** A folder of the network could keep the agent waiting. */
const onDrive = /^[a-z]:[\\/]/i

async function findProgram(programs: readonly string[]): Promise<string | undefined> {
  const folders = (environmentOf().PATH ?? '').split(';').filter((folder) => onDrive.test(folder))
  for (const program of programs) {
    const places = win32.isAbsolute(program) ? [program] : folders.map((folder) => win32.join(folder, program))
    for (const place of places) {
      const isThere = await access(place).then(
        () => true,
        () => false,
      )
      // An entry that only offers to install Python from the store.
      if (isThere && !/\\WindowsApps\\/i.test(place)) return place
    }
  }
  return undefined
}
