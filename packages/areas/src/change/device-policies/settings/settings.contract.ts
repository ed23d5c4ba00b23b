// Settings that policies make on devices. They act at once, and are no rules: a device cannot violate them.
import { z } from 'zod'

export const Settings = z
  .strictObject({
    /** Seconds between two heartbeats of the agent. */
    'agent.heartbeatSeconds': z.int().min(5).max(3_600),
    /** Whether the agent updates itself. */
    'agent.autoUpdate': z.boolean(),
    /** Whether scripts may run on the device. */
    'scripts.allowed': z.boolean(),
  })
  .partial()
export type Settings = z.infer<typeof Settings>

export const SettingName = Settings.keyof()
export type SettingName = z.infer<typeof SettingName>

export const SettingValue = z.union([z.boolean(), z.number()])
