import { z } from 'zod'
import pins from '../runtimes.json' with { type: 'json' }

const Pin = z.object({ name: z.string(), version: z.string(), integrity: z.string(), sha256: z.string() })
export type Pin = z.infer<typeof Pin>

/** A machine that the agent is built for, named like the runtime names it. */
export interface Target {
  readonly os: string
  readonly arch: string
  /** The runtime that goes into its executable, as npm serves it. */
  readonly runtime: Pin
}

// Others have a runtime as well; what they lack is a platform (apps/agent/src/platform) and a signature of their system's vendor.
const supported = ['linux-x64', 'linux-arm64']

/** All targets, or those with these names. */
export function targetsNamed(names: readonly string[] = supported): Target[] {
  const runtimes = z.record(z.string(), Pin).parse(pins)
  return names.map((name) => {
    const runtime = runtimes[name]
    const [os = '', arch = ''] = name.split('-')
    if (!supported.includes(name) || runtime === undefined)
      throw new Error(`There is no agent for ${name}, only for ${supported.join(', ')}`)
    return { os, arch, runtime }
  })
}
