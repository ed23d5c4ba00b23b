import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, Outlet, redirect, retainSearchParams } from '@tanstack/react-router'
import * as read from './search.ts'
import { whoAmI } from './session/session.tsx'
import { Shell } from './shell/Shell.tsx'

export const rootRoute = createRootRouteWithContext<{ readonly queries: QueryClient }>()({
  component: Outlet,
})

const placeSearch = read.searchOf({ org: read.id, site: read.id })

/** The parent of all screens for signed-in users. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  validateSearch: placeSearch,
  search: { middlewares: [retainSearchParams(['org', 'site'])] },
  async beforeLoad({ context, location }) {
    const me = await whoAmI(context.queries)
    const next = location.href === '/' ? undefined : location.href
    if (me === null) throw redirect({ to: '/login', search: { next } })
    if (me.mfaEnrollmentRequired) throw redirect({ to: '/second-factor', search: { next } })
  },
  component: Shell,
})
