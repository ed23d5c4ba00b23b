import { z } from 'zod'

export const AlertStatus = z.enum(['active', 'acknowledged', 'suppressed', 'resolved'])
export type AlertStatus = z.infer<typeof AlertStatus>

/** Of alerts that are not resolved. */
export const OpenStatus = AlertStatus.exclude(['resolved'])

/** What raised the alert. */
export const AlertSource = z.enum([
  'rule',
  'monitor',
  'maintenance',
  'script',
  'automation',
  'policy',
  'snmp',
  'patch',
  'software',
  'security',
  'sla',
  'system',
])
export type AlertSource = z.infer<typeof AlertSource>
