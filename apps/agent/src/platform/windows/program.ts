import { type Ended, runProgram } from '../program.ts'
import { environmentOf } from './environment.ts'
import { system32 } from './native/koffi.ts'

/** Runs a program of the system's own folder. */
export const runTool = (name: string, args: readonly string[]): Promise<Ended> =>
  runProgram(`${system32}\\${name}`, args, environmentOf())
