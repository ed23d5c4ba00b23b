import { Building2, MapPin, Network, Settings2 } from 'lucide-react'
import type { Area } from '../../../area.ts'
import { readAll } from '../../../readAll.ts'
import { tenancyRoutes } from './routes.ts'

export const tenancyArea = {
  routes: tenancyRoutes,
  screens: [
    {
      path: '/organizations',
      label: 'Organizations',
      icon: Building2,
      group: 'customers',
      order: 0,
      needs: 'organizations:read',
      scopes: ['partner', 'system'],
      keys: 'g c',
      words: 'customers clients tenants suspend',
    },
    {
      path: '/sites',
      label: 'Sites',
      icon: MapPin,
      group: 'customers',
      order: 10,
      needs: 'sites:read',
      keys: 'g s',
      words: 'locations places offices',
    },
    {
      path: '/settings',
      label: 'Settings',
      icon: Settings2,
      group: 'company',
      order: 0,
      scopes: ['partner'],
      keys: 'g t',
      words: 'company timezone date time format business hours contact billing approval policy',
    },
    {
      path: '/partners',
      label: 'Partners',
      icon: Network,
      group: 'system',
      order: 0,
      needs: 'organizations:read',
      scopes: ['system'],
      words: 'providers msp tenants approve',
    },
  ],
  actions: [
    {
      path: '/organizations',
      form: 'new',
      label: 'New organization',
      creates: true,
      needs: 'organizations:write',
      scopes: ['partner', 'system'],
      words: 'customer client add',
    },
    {
      path: '/organizations',
      form: 'order',
      label: 'Sort organizations',
      needs: 'organizations:write',
      scopes: ['partner'],
      words: 'order',
    },
    {
      path: '/sites',
      form: 'new',
      label: 'New site',
      creates: true,
      needs: 'sites:write',
      words: 'location add',
    },
    {
      path: '/partners',
      form: 'new',
      label: 'New partner',
      creates: true,
      needs: 'organizations:write',
      scopes: ['system'],
      words: 'provider msp add',
    },
  ],
  inbox: [
    {
      path: '/partners',
      label: 'Partners',
      icon: Network,
      needs: 'organizations:write',
      scopes: ['system'],
      operation: 'tenancy.partners.list',
      async count(api) {
        const partners = await readAll((client) => client.tenancy.partners.list, {}, { api })
        return partners.filter(({ status }) => status === 'pending').length
      },
    },
  ],
} as const satisfies Area
