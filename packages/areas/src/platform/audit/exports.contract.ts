import { can, raw } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { auditFilters } from './logs.contract.ts'

const access = can('audit:export')
const input = z.object({
  ...auditFilters,
  q: z.string().trim().min(1).max(200).optional(),
  format: z.enum(['csv', 'json']).default('csv'),
})
const produces = 'text/csv'

export const exports = {
  download: raw('GET', '/audit/export', {
    summary: 'Export all matching audit records as CSV or JSON, oldest first',
    access,
    audit: 'audit.export',
    input,
    produces,
    alsoProduces: ['application/json'],
  }),
  create: raw('POST', '/audit/export', {
    summary: 'Export all audit records that match the filters in the body as CSV or JSON, oldest first',
    access,
    audit: 'audit.export',
    input,
    produces,
    alsoProduces: ['application/json'],
  }),
}
