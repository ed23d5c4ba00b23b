import { Bell, ChartColumn, House, type LucideIcon, MonitorSmartphone, Shield, Users, Wrench, Zap } from 'lucide-react'
import type { AdminGroup, NavigationGroup, Screen } from '../area.ts'

type MainGroup = Exclude<NavigationGroup, AdminGroup>

/** The rows of the sidebar, in their order. A group without screens is not shown. */
const mainGroups: Readonly<Record<MainGroup, { readonly label: string; readonly icon: LucideIcon }>> = {
  home: { label: 'Home', icon: House },
  devices: { label: 'Devices', icon: MonitorSmartphone },
  alerts: { label: 'Alerts', icon: Bell },
  automation: { label: 'Automation', icon: Zap },
  patching: { label: 'Patching', icon: Wrench },
  security: { label: 'Security', icon: Shield },
  reports: { label: 'Reports', icon: ChartColumn },
  customers: { label: 'Customers', icon: Users },
}
/** The headings of the Admin sidebar, in their order. */
const adminGroups: Readonly<Record<AdminGroup, string>> = {
  company: 'Company',
  access: 'Access',
  integrations: 'Integrations',
  agent: 'Agent',
  system: 'System',
}

export interface NavigationSection {
  readonly id: string
  readonly label: string
  readonly screens: readonly Screen[]
}
export interface NavigationRow extends NavigationSection {
  readonly icon: LucideIcon
}
export interface Navigation {
  readonly main: readonly NavigationRow[]
  readonly admin: readonly NavigationSection[]
}

/** The screens in groups. A group with one screen carries that screen's label. */
export function navigationOf(screens: readonly Screen[]): Navigation {
  const inGroup = (group: string) =>
    screens.filter((screen) => screen.group === group).toSorted((one, other) => one.order - other.order)
  const main = Object.entries(mainGroups).flatMap(([id, { label, icon }]) => {
    const found = inGroup(id)
    const [only] = found
    if (only === undefined) return []
    return [{ id, label: found.length === 1 ? only.label : label, icon, screens: found }]
  })
  const admin = Object.entries(adminGroups).flatMap(([id, label]) => {
    const found = inGroup(id)
    return found.length === 0 ? [] : [{ id, label, screens: found }]
  })
  return { main, admin }
}

/** The screen that a path belongs to: `/devices/…` is below `/devices`. */
export const screenAt = (screens: readonly Screen[], path: string): Screen | undefined =>
  screens
    .filter((screen) => path === screen.path || (screen.path !== '/' && path.startsWith(`${screen.path}/`)))
    .toSorted((one, other) => other.path.length - one.path.length)[0]
