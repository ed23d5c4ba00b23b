import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const fieldsSearch = read.searchOf({ tab: read.oneOf('fields', 'tags'), page: read.whole, q: read.text })

export const customFieldRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/fields',
    validateSearch: fieldsSearch,
    component: lazyRouteComponent(() => import('./FieldsPage.tsx'), 'FieldsPage'),
  }),
] as const
