import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { heldPerson, scopeKeyOf } from '../../../session/session.tsx'
import { askAhead } from './deviceQuestion.ts'
import { approvalsSearch, deviceSearch, devicesSearch, runSearch } from './search.ts'

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
      // The previous screen stays until the rows are there, but not for long.
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
    path: '/runs/$batchId',
    validateSearch: runSearch,
    component: lazyRouteComponent(() => import('./RunPage.tsx'), 'RunPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/approvals',
    validateSearch: approvalsSearch,
    component: lazyRouteComponent(() => import('./ApprovalsPage.tsx'), 'ApprovalsPage'),
  }),
] as const
