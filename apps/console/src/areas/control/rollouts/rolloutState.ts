import type { Rollout } from '@muster/areas/control/rollouts/rollouts.contract.ts'
import type { z } from 'zod'
import type { Tone } from '../../../ui/page/display.tsx'

export const rolloutStates: Readonly<Record<z.infer<typeof Rollout>['state'], readonly [string, Tone]>> = {
  running: ['Running', 'info'],
  paused: ['Paused', 'warn'],
  halted: ['Halted', 'bad'],
  completed: ['Completed', 'good'],
  cancelled: ['Canceled', 'plain'],
}
