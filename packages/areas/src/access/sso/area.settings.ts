import { privateNetworks } from '@muster/kit/config.ts'
import { z } from 'zod'

declare module '../../services.ts' {
  interface Settings {
    /** Private networks in CIDR form in which identity providers are allowed. */
    readonly ssoNetworks?: readonly string[]
  }
}

/** Private networks in CIDR form, comma separated, in which identity providers are allowed. */
export const environment = { SSO_ALLOWED_NETWORKS: privateNetworks() }
const Given = z.object(environment)

export const settingsOf = (given: z.output<typeof Given>) => ({ ssoNetworks: given.SSO_ALLOWED_NETWORKS })
