import { unsignedAgentsUntil, wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

export interface AgentLimits {
  /** Until when agents that cannot check signed orders are sent commands; without it, always. */
  readonly unsignedAgentsUntilMs?: number
}

declare module '../../services.ts' {
  interface Settings extends AgentLimits {}
}
declare module '../../background/worker-parts.ts' {
  interface BackgroundSettings extends AgentLimits {
    /** Seconds between two heartbeats of a device for which no policy sets them. Ingest has the same. */
    readonly heartbeatSeconds: number
  }
}

/** Until when agents of protocol 1, which cannot check signed orders, are sent commands. Ingest has the same date. */
export const environment = {
  UNSIGNED_AGENTS_UNTIL: unsignedAgentsUntil(),
  HEARTBEAT_SECONDS: wholeNumber(1, 3600, 60),
}
const Given = z.object(environment)

export const settingsOf = (given: z.output<typeof Given>) => ({
  unsignedAgentsUntilMs: given.UNSIGNED_AGENTS_UNTIL,
  heartbeatSeconds: given.HEARTBEAT_SECONDS,
})
