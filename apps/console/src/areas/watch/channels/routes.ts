import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../../appRoute.tsx'
import * as read from '../../../search.ts'

const channelsSearch = read.searchOf({
  page: read.whole,
  type: read.oneOf('email', 'slack', 'teams', 'webhook', 'pagerduty', 'sms'),
  form: read.oneOf('new'),
})

export const channelRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: '/alerts/channels',
    validateSearch: channelsSearch,
    component: lazyRouteComponent(() => import('./ChannelsPage.tsx'), 'ChannelsPage'),
  }),
] as const
