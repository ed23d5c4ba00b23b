import { access, readFile, rename, writeFile } from 'node:fs/promises'
import { win32 } from 'node:path'
import { ToolFailure } from '../../tool-failure.ts'
import type { RunningScript, ScriptLanguage, ScriptStart } from '../platform.ts'
import { spawnScript } from '../script-process.ts'
import { environmentOf } from './environment.ts'
import { system32 } from './native/koffi.ts'
import { ScriptJob } from './script-job.ts'

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
    prefix: '@chcp 65001>nul\r\n',
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
/** Windows PowerShell reads a file without this mark in the code page of the machine. */
const byteOrderMark = '\uFEFF'

/** Starts a script in a job: when it is ended, or the agent ends in any way, all its processes end. */
export async function startScript(start: ScriptStart): Promise<RunningScript | undefined> {
  const interpreter = interpreters[start.language]
  if (interpreter === undefined)
    throw new ToolFailure('UNSUPPORTED_PLATFORM', `Windows has no ${start.language}; use powershell, cmd or python`)
  const program = await findProgram(interpreter.programs)
  if (program === undefined) return undefined
  const file = await prepared(start.file, interpreter)
  const isCmd = start.language === 'cmd'
  return spawnScript(start, {
    program,
    args: [...interpreter.args, ...(isCmd ? [commandLine([file, ...start.args])] : [file, ...start.args])],
    environment: { ...environmentOf(), PYTHONUTF8: '1' },
    // With a group it would have no console, which PowerShell and cmd need.
    leadsGroup: false,
    isVerbatim: isCmd,
    exitCodeOf: () => killedExitCode,
    grip: ({ pid }) => (pid === undefined ? { terminate() {}, kill() {} } : new ScriptJob(pid)),
  })
}

/** cmd takes the first and the last quote away, and keeps those between. It has no way to write a quote in an argument. */
function commandLine(words: readonly string[]): string {
  const wrong = words.find((word) => /["\r\n]/.test(word))
  if (wrong !== undefined)
    throw new ToolFailure(
      'INVALID_PAYLOAD',
      'args of a cmd script must not contain quotes or line ends; use env instead',
    )
  return `"${words.map((word) => `"${word}"`).join(' ')}"`
}

/** Gives the script's file the ending that its interpreter needs, and the beginning for UTF-8. */
async function prepared(file: string, { extension, prefix }: Interpreter): Promise<string> {
  const named = `${file}${extension}`
  if (prefix === '') await rename(file, named)
  else {
    const text = await readFile(file, 'utf8')
    const body = extension === '.cmd' ? text.replaceAll(/\r?\n/g, '\r\n') : text
    await writeFile(named, `${extension === '.ps1' ? byteOrderMark : ''}${prefix}${body}`, { mode: 0o600 })
  }
  return named
}

async function findProgram(programs: readonly string[]): Promise<string | undefined> {
  const folders = (environmentOf().PATH ?? '').split(';').filter((folder) => win32.isAbsolute(folder))
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
