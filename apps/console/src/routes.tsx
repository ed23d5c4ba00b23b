import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { appRoute, rootRoute } from './appRoute.tsx'
import { authRoutes } from './areas/access/auth/routes.ts'
import { areas } from './areas.ts'
import { NotFound } from './shell/NotFound.tsx'
import { Failure, Loading } from './ui/page/states.tsx'

type ScreenRoute = (typeof areas)[number]['routes'][number]
const screenRoutes: readonly ScreenRoute[] = areas.flatMap<ScreenRoute>(({ routes }) => routes)
// An unknown address keeps the navigation.
const lostRoute = createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFound })
const routeTree = rootRoute.addChildren([...authRoutes, appRoute.addChildren([...screenRoutes, lostRoute])])

function Broken({ error, reset }: ErrorComponentProps) {
  return (
    <main className="flex min-h-full items-center">
      <Failure error={error} again={reset} />
    </main>
  )
}

export const createConsoleRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    // Answers are kept by the query cache, which knows when they are old.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: Broken,
    defaultPendingComponent: Loading,
    defaultPendingMs: 300,
    scrollRestoration: false,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
