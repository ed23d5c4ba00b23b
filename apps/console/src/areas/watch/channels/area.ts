import { Megaphone } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { channelRoutes } from './routes.ts'

export const channelsArea = {
  routes: channelRoutes,
  screens: [
    {
      path: '/alerts/channels',
      label: 'Channels',
      icon: Megaphone,
      group: 'alerts',
      order: 40,
      needs: 'alerts:read',
      words: 'slack teams email sms pagerduty webhook messages',
    },
  ],
  actions: [
    {
      path: '/alerts/channels',
      form: 'new',
      label: 'New alert channel',
      needs: 'alerts:write',
      words: 'slack teams email sms pagerduty create',
    },
  ],
} as const satisfies Area
