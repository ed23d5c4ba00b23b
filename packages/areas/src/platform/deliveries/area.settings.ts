import { z } from 'zod'
import { type OutgoingSettings, outgoingFrom, outgoingSettings } from './settings.ts'

declare module '../../services.ts' {
  interface Settings {
    readonly outgoing: OutgoingSettings
  }
}

declare module '../../background/worker-parts.ts' {
  interface BackgroundSettings {
    /** How messages leave the installation. */
    readonly outgoing: OutgoingSettings
  }
}

export const environment = outgoingSettings
export const workerEnvironment = outgoingSettings
const Given = z.object(environment)

export const settingsOf = (given: z.output<typeof Given>) => ({ outgoing: outgoingFrom(given) })
export const workerSettingsOf = (given: z.output<typeof Given>) => settingsOf(given)
