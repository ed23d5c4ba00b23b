import type { Scope } from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/permissions.ts'
import {
  Boxes,
  CircleUserRound,
  Gauge,
  type LucideIcon,
  MonitorSmartphone,
  PackageCheck,
  PlugZap,
  ScrollText,
  Tags,
} from 'lucide-react'

/** A screen that can be reached from anywhere: by the navigation, the palette and a shortcut. */
export interface Screen {
  readonly path: string
  readonly label: string
  readonly icon: LucideIcon
  readonly group: 'Fleet' | 'Organisation' | 'Access' | 'System' | 'You'
  /** Further words under which the palette finds it. */
  readonly words?: string
  readonly needs?: Permission
  readonly scopes?: readonly Scope[]
  readonly keys?: string
}

/** All screens without parameters, in the order of the navigation. */
export const screens = [
  { path: '/', label: 'Overview', icon: Gauge, group: 'Fleet', keys: 'g o', words: 'dashboard home' },
  { path: '/devices', label: 'Devices', icon: MonitorSmartphone, group: 'Fleet', needs: 'devices:read', keys: 'g d' },
  {
    path: '/groups',
    label: 'Groups',
    icon: Boxes,
    group: 'Fleet',
    needs: 'devices:read',
    keys: 'g g',
    words: 'sets dynamic static filter',
  },
  {
    path: '/enrolment',
    label: 'Enrolment',
    icon: PlugZap,
    group: 'Fleet',
    needs: 'devices:read',
    keys: 'g e',
    words: 'add device install agent key',
  },
  {
    path: '/fields',
    label: 'Fields and tags',
    icon: Tags,
    group: 'Fleet',
    needs: 'devices:read',
    keys: 'g f',
    words: 'custom fields attributes labels',
  },
  {
    path: '/agent-versions',
    label: 'Agent versions',
    icon: PackageCheck,
    group: 'Fleet',
    needs: 'devices:read',
    keys: 'g n',
    words: 'rollouts rings updates pins stuck emergency stop release',
  },
  { path: '/audit', label: 'Audit log', icon: ScrollText, group: 'Access', needs: 'audit:read', keys: 'g a' },
  {
    path: '/account',
    label: 'Your account',
    icon: CircleUserRound,
    group: 'You',
    keys: 'g p',
    words: 'profile password sessions passkeys security second factor',
  },
] as const satisfies readonly Screen[]
