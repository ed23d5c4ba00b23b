import type { Control } from './control.ts'
import type { FactStore } from './facts/fact-store.ts'
import type { Identity } from './identity.ts'
import type { Journal } from './journal.ts'
import type { OrderKeys } from './orders/order-keys.ts'
import type { Settings } from './settings.ts'
import type { UpdateJournal } from './update/update-journal.ts'
import type { WatchdogCredential } from './watchdog/credential.ts'

/** The content of the data folder. */
export interface AgentFolder {
  /** Its resolved path. */
  path: string
  /** The enrollment key, until the machine is enrolled. */
  key: string | undefined
  identity: Identity
  journal: Journal
  settings: Settings
  facts: FactStore
  control: Control
  watchdog: WatchdogCredential
  orderKeys: OrderKeys
  grantKeys: OrderKeys
  updates: UpdateJournal
  trustedRoot: string | undefined
  /** Releases the folder for another agent. */
  release: () => void
}
