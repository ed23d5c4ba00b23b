// What an area of the console declares. `areas.ts` lists the areas; routes, navigation, palette and header are read from them.
import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Scope } from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import type { AnyRoute } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Api } from './api.ts'

/** Where the navigation lists a screen. The labels are in `shell/navigation.ts`. */
export type NavigationGroup =
  | 'home'
  | 'devices'
  | 'alerts'
  | 'automation'
  | 'patching'
  | 'security'
  | 'reports'
  | 'customers'
  | AdminGroup
/** The groups of the Admin sidebar. */
export type AdminGroup = 'company' | 'access' | 'integrations' | 'agent' | 'system'

interface Limited {
  readonly needs?: Permission
  readonly scopes?: readonly Scope[]
}

/** A screen without path parameters. The palette and the shortcuts open it from anywhere. */
export interface Screen extends Limited {
  readonly path: string
  readonly label: string
  readonly icon: LucideIcon
  /** Absent for screens that the header or the person menu opens. */
  readonly group?: NavigationGroup
  /** The position in the group, smallest first. */
  readonly order: number
  /** More search terms for the palette. */
  readonly words?: string
  readonly keys?: string
}

/** A form that the palette and the “New” menu open from anywhere, through the search parameter `form`. */
export interface Action extends Limited {
  readonly path: string
  readonly form: 'new' | 'invite' | 'order'
  readonly label: string
  /** Listed in the “New” menu too. */
  readonly creates?: boolean
  readonly words?: string
}

/** Work that waits for the signed-in user. The header's inbox shows the number. */
export interface InboxEntry extends Limited {
  readonly path: string
  readonly label: string
  readonly icon: LucideIcon
  /** The operation that counts, such as `devices.approvals.list`. A refresh of that name counts again. */
  readonly operation: string
  count(api: Api): Promise<number>
}

/** A notice above all screens. */
interface Banner extends Limited {
  readonly id: string
  readonly Content: ComponentType
}

/** An action on a device that its page asks about, opened by the search parameter `ask`. */
export interface DeviceAction extends Limited {
  readonly ask: string
  readonly label: string
  readonly words?: string
}

/** A tab of a device's page. */
export interface DeviceTab extends Limited {
  /** Its name in the address: `?tab=processes`. */
  readonly id: string
  readonly label: string
  /** The heading above it in the “More” menu. */
  readonly group: 'Device' | 'Tools' | 'Security' | 'Activity'
  /** The position in the row, smallest first. The first tab is the usual one. */
  readonly order: number
  /** Its list fills the window and scrolls by itself. */
  readonly fills?: boolean
  /** Whether the device has it. Without this, all devices do. */
  shows?(device: DeviceDetail): boolean
  readonly Content: ComponentType<{ readonly device: DeviceDetail }>
}

export interface Area {
  readonly routes: readonly AnyRoute[]
  readonly screens?: readonly Screen[]
  readonly actions?: readonly Action[]
  readonly inbox?: readonly InboxEntry[]
  readonly banners?: readonly Banner[]
  readonly deviceTabs?: readonly DeviceTab[]
  readonly deviceActions?: readonly DeviceAction[]
}
