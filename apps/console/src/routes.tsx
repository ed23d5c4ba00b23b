import type { QueryClient } from '@tanstack/react-query'
import { createRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { appRoute, rootRoute } from './appRoute.tsx'
import { accessReviewRoutes } from './areas/access-reviews/routes.ts'
import { accountRoutes } from './areas/account/routes.ts'
import { apiKeyRoutes } from './areas/api-keys/routes.ts'
import { auditRoutes } from './areas/audit/routes.ts'
import { authRoutes } from './areas/auth/routes.ts'
import { customFieldRoutes } from './areas/custom-fields/routes.ts'
import { deviceRoutes } from './areas/devices/routes.ts'
import { enrollmentRoutes } from './areas/enrollment/routes.ts'
import { groupRoutes } from './areas/groups/routes.ts'
import { overviewRoutes } from './areas/overview/routes.ts'
import { queueRoutes } from './areas/queues/routes.ts'
import { roleRoutes } from './areas/roles/routes.ts'
import { rolloutRoutes } from './areas/rollouts/routes.ts'
import { ssoRoutes } from './areas/sso/routes.ts'
import { tenancyRoutes } from './areas/tenancy/routes.ts'
import { userRoutes } from './areas/users/routes.ts'
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
