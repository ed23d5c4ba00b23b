import { z } from 'zod'
import pins from '../runtimes.json' with { type: 'json' }

const Pin = z.object({ name: z.string(), version: z.string(), integrity: z.string(), sha256: z.string() })
export type Pin = z.infer<typeof Pin>

/** A platform that the agent is built for, with the names of the runtime. */
export interface Target {
  readonly os: string
  readonly arch: string
  /** The runtime in its executable, from npm. */
  readonly runtime: Pin
}

// Other platforms have a runtime as well; they lack a platform module (apps/agent/src/platform) and a vendor signature.
const supported = ['linux-x64', 'linux-arm64']

/** All targets, or those with these names. */
export function targetsNamed(names: readonly string[] = supported): Target[] {
  const runtimes = z.record(z.string(), Pin).parse(pins)
  return names.map((name) => {
    const runtime = runtimes[name]
    const [os = '', arch = ''] = name.split('-')
    if (!supported.includes(name) || runtime === undefined)
      throw new Error(`The agent cannot be built for ${name}, only for ${supported.join(', ')}`)
    return { os, arch, runtime }
  })
}
