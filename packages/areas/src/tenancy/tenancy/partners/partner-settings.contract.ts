import { isTimezone, timezoneName } from '@muster/kit/contract.ts'
import { z } from 'zod'

const days = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
  'mon',
  'tue',
  'wed',
  'thu',
  'fri',
  'sat',
  'sun',
] as const
const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 08:30' })
const text = z.string().trim().max(255).nullable()

/** Opening hours of one day. An end before the start is on the next day: 22:00 to 06:00 is a night shift. */
const Hours = z
  .object({ start: clockTime, end: clockTime, closed: z.boolean().optional() })
  .refine(({ start, end, closed }) => closed === true || start !== end, { error: 'end must differ from start' })

/** Changes of a partner's settings. Omitted keys stay, null removes a key. */
export const PartnerSettings = z
  .object({
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, { error: 'must be an IANA timezone' })
      .transform(timezoneName)
      .nullable(),
    dateFormat: z.enum(['MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY-MM-DD']).nullable(),
    timeFormat: z.enum(['12h', '24h']).nullable(),
    /** Commands that exceed the blast radius require a second person. PUT /commands/second-person turns it off. */
    secondPerson: z.boolean().nullable(),
    language: z.enum(['en'], { error: 'only en is supported' }).nullable(),
    businessHours: z
      .object({
        preset: z.enum(['24/7', 'business', 'extended', 'custom']).nullable(),
        custom: z.partialRecord(z.enum(days), Hours.nullable()).nullable(),
      })
      .partial()
      .nullable(),
    contact: z
      .object({
        name: text,
        email: z.union([z.literal(''), z.email().max(255)]).nullable(),
        phone: text,
        website: text,
      })
      .partial()
      .nullable(),
  })
  .partial()
  .catchall(z.json())
  .refine((value) => JSON.stringify(value).length <= 65_536, { error: 'must not exceed 65536 bytes of JSON' })
