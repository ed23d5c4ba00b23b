import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import { heldPerson, scopeKeyOf } from '../../../session/session.tsx'
import { askAhead } from './deviceQuestion.ts'
import { deviceSearch, devicesSearch } from './search.ts'

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
    component: lazyRouteComponent(() => import('./list/DevicesPage.tsx'), 'DevicesPage'),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: '/devices/$deviceId',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('./page/DevicePage.tsx'), 'DevicePage'),
  }),
] as const
