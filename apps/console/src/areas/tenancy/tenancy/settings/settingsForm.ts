import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { z } from 'zod'

const text = z.string().nullish().catch(null)
const hours = z.object({ start: z.string(), end: z.string(), closed: z.boolean().optional() })

/** The settings that the console knows. Values of an unknown form count as not set. */
const Known = z.object({
  timezone: text,
  dateFormat: z.enum(['MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY-MM-DD']).nullish().catch(null),
  timeFormat: z.enum(['12h', '24h']).nullish().catch(null),
  language: z.literal('en').nullish().catch(null),
  businessHours: z
    .object({
      preset: z.enum(['24/7', 'business', 'extended', 'custom']).nullish().catch(null),
      custom: z.record(z.string(), hours.nullable()).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  contact: z.object({ name: text, email: text, phone: text, website: text }).nullish().catch(null),
})

export const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Day = (typeof days)[number]
export type Hours = z.infer<typeof hours>

const usual: Hours = { start: '08:00', end: '18:00' }
const closed: Hours = { ...usual, closed: true }

/** The settings as the form holds them. */
export function draftOf({ name, billingEmail, settings }: Partner) {
  const known = Known.parse(settings)
  const custom = known.businessHours?.custom ?? {}
  return {
    name,
    billingEmail: billingEmail ?? '',
    timezone: known.timezone ?? '',
    dateFormat: known.dateFormat ?? null,
    timeFormat: known.timeFormat ?? null,
    preset: known.businessHours?.preset ?? null,
    hours: new Map(
      days.map((day) => [day, custom[day] ?? custom[day.slice(0, 3)] ?? (day.startsWith('s') ? closed : usual)]),
    ),
    contact: {
      name: known.contact?.name ?? '',
      email: known.contact?.email ?? '',
      phone: known.contact?.phone ?? '',
      website: known.contact?.website ?? '',
    },
  }
}
export type SettingsDraft = ReturnType<typeof draftOf>

/** The input of the operation. */
export const inputOf = ({
  name,
  billingEmail,
  timezone,
  dateFormat,
  timeFormat,
  preset,
  hours: own,
  contact,
}: SettingsDraft) => ({
  name,
  billingEmail: billingEmail.trim() || null,
  settings: {
    timezone: timezone.trim() || null,
    dateFormat,
    timeFormat,
    businessHours: preset === null ? null : { preset, ...(preset === 'custom' && { custom: Object.fromEntries(own) }) },
    contact,
  },
})
