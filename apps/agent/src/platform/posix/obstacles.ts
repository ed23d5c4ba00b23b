import { type Obstacles, registryCommands } from '@muster/wire/capabilities.ts'
import { withoutAdministrator, withoutAll } from '../obstacles.ts'

/** What no system of the Unix family has, and what only root may do. */
export const unixObstacles = (isRoot: boolean): Obstacles => ({
  ...withoutAll('UNSUPPORTED_PLATFORM', registryCommands),
  ...(isRoot ? {} : withoutAdministrator),
})
