import type { Pinged } from '../platform.ts'
import { runProgram } from '../program.ts'

/** Sends echo requests with the system's `ping`. @throws ToolFailure when it is not installed or not allowed */
export async function ping(program: string, flags: readonly string[], address: string, count: number): Promise<Pinged> {
  const args = [...flags, '-n', '-c', `${count}`, '-i', '1', '--', address]
  const { stdout, stderr, exitCode } = await runProgram(program, args, { PATH: searchPath, LC_ALL: 'C' })
  return pingedOf(stdout) ?? refused(stderr, exitCode)
}

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

function refused(stderr: string, exitCode: number): never {
  const [reason = ''] = stderr.split('\n')
  throw new Error(reason === '' ? `ping ended with code ${exitCode}` : reason.slice(0, 200))
}

/** Reads the summary of `ping`; undefined without one. */
export function pingedOf(output: string): Pinged | undefined {
  const sent = /(\d+) packets transmitted, (\d+)(?: packets)? received/.exec(output)
  if (sent === null) return undefined
  const times = /(?:rtt|round-trip) min\/avg\/max(?:\/\w+)? = [\d.]+\/([\d.]+)\//.exec(output)
  return { received: Number(sent[2]), averageMs: times === null ? null : Number(times[1]) }
}
