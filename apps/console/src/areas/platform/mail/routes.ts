import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const mailSearch = read.searchOf({ page: read.whole, status: read.oneOf('waiting', 'sent', 'failed') })

export const mailRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/mail',
    validateSearch: mailSearch,
    component: lazyRouteComponent(() => import('./MailPage.tsx'), 'MailPage'),
  }),
] as const
