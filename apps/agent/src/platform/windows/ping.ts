import type { Pinged } from '../platform.ts'
import { pingedOf } from './ping-output.ts'
import { runTool } from './program.ts'

/** Sends echo requests with `ping.exe`. */
export async function ping(address: string, count: number, waitSeconds: number): Promise<Pinged> {
  const { stdout } = await runTool('ping.exe', ['-n', `${count}`, '-w', `${waitSeconds * 1_000}`, address])
  return pingedOf(stdout)
}
