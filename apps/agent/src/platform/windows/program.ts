import { type ProgramResult, runProgram } from '../program.ts'
import { consoleText } from './calls/console-text.ts'
import { environmentOf } from './environment.ts'
import { system32 } from './native/koffi.ts'

/** Runs a program of the system's own folder. */
export const runTool = (name: string, args: readonly string[]): Promise<ProgramResult> =>
  runProgram(`${system32}\\${name}`, args, environmentOf(), consoleText)
