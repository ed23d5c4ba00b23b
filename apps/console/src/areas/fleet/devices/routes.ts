import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'
import { heldPerson, scopeKeyOf } from '../../../session/session.tsx'
import { askAhead } from './deviceQuestion.ts'

export const statuses = ['online', 'offline', 'updating', 'provisioned', 'quarantined', 'decommissioned'] as const
export const deviceTabs = [
  'overview',
  'inventory',
  'processes',
  'services',
  'files',
  'logs',
  'tasks',
  'run',
  'commands',
] as const

export const devicesSearch = read.searchOf({
  q: read.text,
  status: read.someOf(...statuses),
  sort: read.oneOf('hostname', 'lastSeen', 'enrolled'),
  dir: read.oneOf('asc', 'desc'),
  group: read.id,
  tags: read.texts,
  /** A filter of the filter language. */
  filter: read.tree,
  /** The commands that were sent to many, whose progress is shown. */
  batch: read.id,
  /** The columns shown, where they are not the usual ones. */
  cols: read.text,
})
export type DevicesSearch = ReturnType<typeof devicesSearch>

const deviceSearch = read.searchOf({
  tab: read.oneOf(...deviceTabs),
  hours: read.oneOf('1', '6', '24', '168'),
  page: read.whole,
  command: read.id,
  q: read.text,
  sort: read.text,
  dir: read.oneOf('asc', 'desc'),
  /** What a list is narrowed to, and which of its rows is open. */
  state: read.text,
  kind: read.text,
  item: read.text,
  path: read.path,
  log: read.text,
  level: read.oneOf('emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'),
})
export type DeviceSearch = ReturnType<typeof deviceSearch>

const approvalsSearch = read.searchOf({
  page: read.whole,
  status: read.oneOf('pending', 'approved', 'refused', 'withdrawn', 'expired'),
  approval: read.id,
})

/** So long an empty list would only flicker. */
const patienceMs = 150

export const deviceRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices',
    validateSearch: devicesSearch,
    loaderDeps: ({ search }) => search,
    loader({ context: { queries }, deps, cause }) {
      const me = heldPerson(queries)
      const asked = me && askAhead(queries, scopeKeyOf(me), deps)
      // Whoever comes from another screen sees that one until the rows are there, unless they keep it waiting.
      if (cause === 'enter') return Promise.race([asked, new Promise<void>((late) => setTimeout(late, patienceMs))])
    },
    component: lazyRouteComponent(() => import('./DevicesPage.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices/$deviceId',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('./DevicePage.tsx'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/approvals',
    validateSearch: approvalsSearch,
    component: lazyRouteComponent(() => import('./ApprovalsPage.tsx'), 'ApprovalsPage'),
  }),
] as const
