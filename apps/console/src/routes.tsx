import type { QueryClient } from '@tanstack/react-query'
import { createRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { appRoute, rootRoute } from './appRoute.tsx'
import { accessReviewRoutes } from './areas/access/access-reviews/routes.ts'
import { accountRoutes } from './areas/access/account/routes.ts'
import { apiKeyRoutes } from './areas/access/api-keys/routes.ts'
import { authRoutes } from './areas/access/auth/routes.ts'
import { roleRoutes } from './areas/access/roles/routes.ts'
import { ssoRoutes } from './areas/access/sso/routes.ts'
import { userRoutes } from './areas/access/users/routes.ts'
import { rolloutRoutes } from './areas/control/rollouts/routes.ts'
import { customFieldRoutes } from './areas/fleet/custom-fields/routes.ts'
import { deviceRoutes } from './areas/fleet/devices/routes.ts'
import { enrollmentRoutes } from './areas/fleet/enrollment/routes.ts'
import { groupRoutes } from './areas/fleet/groups/routes.ts'
import { auditRoutes } from './areas/platform/audit/routes.ts'
import { queueRoutes } from './areas/platform/queues/routes.ts'
import { overviewRoutes } from './areas/tenancy/overview/routes.ts'
import { tenancyRoutes } from './areas/tenancy/tenancy/routes.ts'
import { Failure, Loading } from './ui/states.tsx'

const routeTree = rootRoute.addChildren([
  ...authRoutes,
  appRoute.addChildren([
    ...overviewRoutes,
    ...deviceRoutes,
    ...groupRoutes,
    ...enrollmentRoutes,
    ...rolloutRoutes,
    ...customFieldRoutes,
    ...tenancyRoutes,
    ...userRoutes,
    ...roleRoutes,
    ...accessReviewRoutes,
    ...apiKeyRoutes,
    ...ssoRoutes,
    ...auditRoutes,
    ...queueRoutes,
    ...accountRoutes,
  ]),
])

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
