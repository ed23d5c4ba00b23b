import { z } from 'zod'
import addonPins from '../addons.json' with { type: 'json' }
import pins from '../runtimes.json' with { type: 'json' }

const Pin = z.object({ name: z.string(), version: z.string(), integrity: z.string(), sha256: z.string() })
export type Pin = z.infer<typeof Pin>

/** A file of an npm package, pinned by the hash of the archive and of the file. */
export interface PinnedFile extends Pin {
  /** Its place in the package. */
  readonly file: string
}

/** A platform that the agent is built for, with the names of the runtime. */
export interface Target {
  readonly os: string
  readonly arch: string
  /** The value of `process.platform` there. */
  readonly platform: string
  /** The runtime in its executable, from npm. */
  readonly runtime: PinnedFile
  /** The addon that calls the functions of the system; undefined where the runtime suffices. */
  readonly addon: PinnedFile | undefined
  /** The name of the executable. */
  readonly executable: string
}

const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64', 'win-arm64']
const usual = ['linux-x64', 'linux-arm64']

/** The usual targets, or those with these names. */
export function targetsNamed(names: readonly string[] = usual): Target[] {
  const [runtimes, addons] = [pins, addonPins].map((file) => z.record(z.string(), Pin).parse(file))
  return names.map((name) => {
    const [runtime, addon] = [runtimes?.[name], addons?.[name]]
    const [os = '', arch = ''] = name.split('-')
    if (!supported.includes(name) || runtime === undefined)
      throw new Error(`The agent cannot be built for ${name}, only for ${supported.join(', ')}`)
    const isWindows = os === 'win'
    const ending = isWindows ? '.exe' : ''
    return {
      ...{ os, arch, platform: isWindows ? 'win32' : os },
      runtime: { ...runtime, file: `bin/node${ending}` },
      addon: addon && { ...addon, file: `win32_${arch}/koffi.node` },
      executable: `muster-agent${ending}`,
    }
  })
}
