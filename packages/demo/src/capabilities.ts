import {
  type Capability,
  encodeCapabilities,
  type Obstacle,
  type Obstacles,
  registryCommands,
} from '@muster/wire/capabilities.ts'
import { Chance } from './chance.ts'
import type { Machine } from './machine.ts'

/** What each system never has. */
const absent: Readonly<Record<Machine['platform']['osType'], readonly Capability[]>> = {
  linux: [...registryCommands, 'script:cmd', 'script:osascript'],
  macos: [...registryCommands, 'script:cmd'],
  windows: ['script:bash', 'script:sh', 'script:zsh', 'script:osascript'],
}

/** What is not installed on every machine of a system, with the percentage of machines that lack it. */
const optional: Readonly<Record<Machine['platform']['osType'], readonly (readonly [Capability, number])[]>> = {
  linux: [
    ['script:powershell', 95],
    ['script:zsh', 80],
    ['script:python', 10],
  ],
  macos: [
    ['script:powershell', 90],
    ['script:python', 40],
  ],
  windows: [['script:python', 70]],
}

/** What the agent of a simulated machine says it can do: the same at each call. */
export function capabilitiesOf({ index, behavior, platform: { osType } }: Machine): string {
  const chance = new Chance(`capabilities ${index}`)
  const missing = optional[osType].flatMap(([name, share]) => (chance.percent(share) ? [name] : []))
  const same = (names: readonly Capability[], obstacle: Obstacle): Obstacles =>
    Object.fromEntries(names.map((name) => [name, obstacle]))
  // Others would lose their monitors to another machine again and again.
  const unable = behavior === 'steady' ? {} : same(['run_check'], 'NOT_PERMITTED')
  return encodeCapabilities({
    ...same(absent[osType], 'UNSUPPORTED_PLATFORM'),
    ...unable,
    ...same(missing, 'MISSING_TOOL'),
  })
}
