import type { Scope } from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/permissions.ts'
import {
  Boxes,
  Building2,
  CircleUserRound,
  Fingerprint,
  Gauge,
  KeyRound,
  ListChecks,
  ListTodo,
  type LucideIcon,
  MailX,
  MapPin,
  MonitorSmartphone,
  Network,
  PackageCheck,
  PlugZap,
  ScrollText,
  Settings2,
  ShieldCheck,
  Tags,
  UserCheck,
  Users,
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

/** Something that people begin from anywhere: a form on one of the screens. */
export interface Action {
  readonly path: string
  readonly form: 'new' | 'invite' | 'order'
  readonly label: string
  readonly words?: string
  readonly needs: Permission
  readonly scopes?: readonly Scope[]
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
    path: '/approvals',
    label: 'Approvals',
    icon: UserCheck,
    group: 'Fleet',
    needs: 'devices:execute',
    keys: 'g w',
    words: 'second person emergency stop commands waiting',
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
  {
    path: '/organisations',
    label: 'Organisations',
    icon: Building2,
    group: 'Organisation',
    needs: 'organizations:read',
    scopes: ['partner', 'system'],
    keys: 'g c',
    words: 'customers clients tenants suspend',
  },
  {
    path: '/sites',
    label: 'Sites',
    icon: MapPin,
    group: 'Organisation',
    needs: 'sites:read',
    keys: 'g s',
    words: 'locations places offices',
  },
  {
    path: '/settings',
    label: 'Settings',
    icon: Settings2,
    group: 'Organisation',
    scopes: ['partner'],
    keys: 'g t',
    words: 'company timezone date time format business hours contact billing',
  },
  {
    path: '/users',
    label: 'Users',
    icon: Users,
    group: 'Access',
    needs: 'users:read',
    keys: 'g u',
    words: 'people members technicians',
  },
  {
    path: '/roles',
    label: 'Roles',
    icon: ShieldCheck,
    group: 'Access',
    needs: 'users:read',
    keys: 'g r',
    words: 'permissions rights',
  },
  {
    path: '/access-reviews',
    label: 'Access reviews',
    icon: ListChecks,
    group: 'Access',
    needs: 'users:read',
    keys: 'g v',
    words: 'recertification keep revoke compliance',
  },
  {
    path: '/api-keys',
    label: 'API keys',
    icon: KeyRound,
    group: 'Access',
    needs: 'settings:read',
    keys: 'g k',
    words: 'tokens programs integrations rotate',
  },
  {
    path: '/sso',
    label: 'Single sign-on',
    icon: Fingerprint,
    group: 'Access',
    needs: 'settings:read',
    words: 'sso oidc scim entra google okta identity provider',
  },
  { path: '/audit', label: 'Audit log', icon: ScrollText, group: 'Access', needs: 'audit:read', keys: 'g a' },
  {
    path: '/partners',
    label: 'Partners',
    icon: Network,
    group: 'System',
    needs: 'organizations:read',
    scopes: ['system'],
    words: 'providers msp tenants approve',
  },
  {
    path: '/queues',
    label: 'Jobs',
    icon: ListTodo,
    group: 'System',
    needs: '*:*',
    scopes: ['system'],
    words: 'queues background work failed retry',
  },
  {
    path: '/dead-letters',
    label: 'Dead letters',
    icon: MailX,
    group: 'System',
    needs: '*:*',
    scopes: ['system'],
    words: 'streams replay set aside',
  },
  {
    path: '/account',
    label: 'Your account',
    icon: CircleUserRound,
    group: 'You',
    keys: 'g p',
    words: 'profile password sessions passkeys security second factor',
  },
] as const satisfies readonly Screen[]

/** What the palette lets people begin. */
export const actions = [
  { path: '/users', form: 'invite', label: 'Invite somebody', needs: 'users:invite', words: 'user member add' },
  { path: '/roles', form: 'new', label: 'New role', needs: 'users:write', words: 'permissions add' },
  {
    path: '/access-reviews',
    form: 'new',
    label: 'Start an access review',
    needs: 'users:write',
    words: 'recertification',
  },
  {
    path: '/organisations',
    form: 'new',
    label: 'New organisation',
    needs: 'organizations:write',
    scopes: ['partner', 'system'],
    words: 'customer client add',
  },
  {
    path: '/organisations',
    form: 'order',
    label: 'Put the organisations in order',
    needs: 'organizations:write',
    scopes: ['partner'],
  },
  { path: '/sites', form: 'new', label: 'New site', needs: 'sites:write', words: 'location add' },
  { path: '/api-keys', form: 'new', label: 'New API key', needs: 'settings:write', words: 'token program' },
  { path: '/sso', form: 'new', label: 'Add an identity provider', needs: '*:*', words: 'sso single sign-on oidc' },
  {
    path: '/partners',
    form: 'new',
    label: 'New partner',
    needs: 'organizations:write',
    scopes: ['system'],
    words: 'provider msp add',
  },
] as const satisfies readonly Action[]
